#!/usr/bin/env python3
"""The manifest of a Kubernetes Secret with the texts on stdin: KEY, NUL, text, NUL for each.

usage: kubernetes_secret.py NAME NAMESPACE PROJECT TARGET
"""

import json
import sys

from container_environment import EnvironmentFault, secret_text, secrets_from


def secret(name, namespace, project, target, texts):
    """The object, labelled like everything else that is deployed."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {
                "app.kubernetes.io/managed-by": "mlcc",
                "app.kubernetes.io/part-of": project,
                "app.kubernetes.io/component": target,
            },
        },
        "type": "Opaque",
        "stringData": {key: secret_text(key, text) for key, text in sorted(texts.items())},
    }


if __name__ == "__main__":
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    try:
        print(json.dumps(secret(*sys.argv[1:], secrets_from(sys.stdin.read()))))
    except EnvironmentFault as error:
        print(error, file=sys.stderr)
        sys.exit(2)
