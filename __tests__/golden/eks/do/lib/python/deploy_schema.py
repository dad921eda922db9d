"""What each target's deploy needs, as do/deploy sees it: SCHEMAS, STATUS_VARS, TARGET_ALIASES and the parameters.

Read from the descriptors when this module is imported. The generated copy below stands in for a descriptor that is
missing or damaged, so that a deploy still works; it says so on stderr.
"""

import sys

import target_manifest
from descriptors import DescriptorError, names

# >>> GENERATED deploy-schema
_FALLBACK = {
    "async-inference": {
        "summary": "SageMaker asynchronous endpoint: requests and results in S3",
        "aliases": [
            "async"
        ],
        "status_var": "DEPLOYMENT_TARGET_ASYNC_STATUS",
        "required_vars": [
            "INSTANCE_TYPE",
            "ASYNC_S3_OUTPUT_PATH"
        ],
        "optional_vars": {
            "ENDPOINT_NAME": "",
            "ASYNC_SNS_TOPIC": "",
            "ASYNC_MAX_CONCURRENT_INVOCATIONS": "1"
        },
        "params": {
            "INSTANCE_TYPE": {
                "flag": "instance-type",
                "prompt": "Instance type",
                "pattern": "^ml\\.[a-z0-9-]+\\.[a-z0-9]+$",
                "description": "Instance type to deploy on, such as ml.g5.2xlarge."
            },
            "ASYNC_S3_OUTPUT_PATH": {
                "flag": "async-output-path",
                "prompt": "S3 path for results",
                "pattern": "^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$",
                "description": "Where results are written: s3://bucket/prefix. The bucket must exist."
            },
            "ENDPOINT_NAME": {
                "flag": "endpoint-name",
                "pattern": "^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$",
                "description": "Name of the SageMaker endpoint; empty: derived from the project name."
            },
            "ASYNC_SNS_TOPIC": {
                "flag": "async-sns-topic",
                "prompt": "SNS topic for notifications (empty: none)",
                "pattern": "^arn:[a-z-]+:sns:[a-z0-9-]+:[0-9]{12}:.+$",
                "description": "ARN of one topic that is told of successes and errors; empty: none."
            },
            "ASYNC_MAX_CONCURRENT_INVOCATIONS": {
                "flag": "async-max-concurrent",
                "prompt": "Concurrent requests per instance",
                "pattern": "^([1-9][0-9]{0,2}|1000)$",
                "description": "Requests that one instance works on at once, 1 to 1000."
            }
        }
    },
    "batch-transform": {
        "summary": "SageMaker batch transform job over files in S3",
        "aliases": [
            "batch"
        ],
        "status_var": "DEPLOYMENT_TARGET_BATCH_STATUS",
        "required_vars": [
            "INSTANCE_TYPE",
            "BATCH_INPUT_PATH",
            "BATCH_OUTPUT_PATH"
        ],
        "optional_vars": {
            "BATCH_SPLIT_TYPE": "Line",
            "BATCH_STRATEGY": "MultiRecord",
            "BATCH_MAX_CONCURRENT": "1",
            "BATCH_INSTANCE_COUNT": "1",
            "BATCH_JOIN_SOURCE": "None",
            "BATCH_MAX_PAYLOAD_IN_MB": "6"
        },
        "params": {
            "INSTANCE_TYPE": {
                "flag": "instance-type",
                "prompt": "Instance type",
                "pattern": "^ml\\.[a-z0-9-]+\\.[a-z0-9]+$",
                "description": "Instance type to deploy on, such as ml.g5.2xlarge."
            },
            "BATCH_INPUT_PATH": {
                "flag": "batch-input-path",
                "prompt": "S3 path of the input",
                "pattern": "^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$",
                "description": "The files to work on: s3://bucket/prefix."
            },
            "BATCH_OUTPUT_PATH": {
                "flag": "batch-output-path",
                "prompt": "S3 path for results",
                "pattern": "^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$",
                "description": "Where results are written: s3://bucket/prefix."
            },
            "BATCH_SPLIT_TYPE": {
                "flag": "batch-split-type",
                "prompt": "How the input is split into records",
                "enum": [
                    "Line",
                    "RecordIO",
                    "TFRecord",
                    "None"
                ],
                "description": "How a file is split into records."
            },
            "BATCH_STRATEGY": {
                "flag": "batch-strategy",
                "prompt": "Records per request",
                "enum": [
                    "MultiRecord",
                    "SingleRecord"
                ],
                "description": "Whether a request holds one record or as many as fit."
            },
            "BATCH_MAX_CONCURRENT": {
                "flag": "batch-max-concurrent",
                "pattern": "^(0|[1-9][0-9]*)$",
                "description": "Requests sent at once to each instance; 0 lets the service decide."
            },
            "BATCH_INSTANCE_COUNT": {
                "pattern": "^[1-9][0-9]*$",
                "description": "Instances that share the work."
            },
            "BATCH_JOIN_SOURCE": {
                "enum": [
                    "None",
                    "Input"
                ],
                "description": "Input: each result is joined with its input record."
            },
            "BATCH_MAX_PAYLOAD_IN_MB": {
                "pattern": "^([0-9]|[1-9][0-9]|100)$",
                "description": "Largest request in MB, at most 100."
            }
        }
    },
    "eks": {
        "summary": "Plain Kubernetes objects on an EKS cluster",
        "aliases": [],
        "status_var": "DEPLOYMENT_TARGET_EKS_STATUS",
        "required_vars": [],
        "optional_vars": {
            "INSTANCE_TYPE": "",
            "HP_CLUSTER_NAME": "",
            "HP_GPU_COUNT": "auto",
            "HP_NAMESPACE": "default",
            "HP_REPLICAS": "1",
            "HP_QUEUE": ""
        },
        "params": {
            "INSTANCE_TYPE": {
                "flag": "instance-type",
                "prompt": "Instance type of the nodes (empty: any)",
                "pattern": "^(ml\\.)?[a-z0-9-]+\\.[a-z0-9]+$",
                "description": "Instance type of the nodes to run on; empty: any node that fits."
            },
            "HP_CLUSTER_NAME": {
                "flag": "cluster-name",
                "prompt": "EKS cluster name (empty: the current kubectl context)",
                "pattern": "^[a-zA-Z0-9][a-zA-Z0-9_-]{0,99}$",
                "description": "Name of the EKS cluster; empty: the current kubectl context."
            },
            "HP_GPU_COUNT": {
                "flag": "gpu-count",
                "prompt": "GPUs per copy",
                "pattern": "^(auto|0|[1-9][0-9]?)$",
                "description": "Accelerators for each copy: a whole number, or auto: what the instance type has, 1 where none is named."
            },
            "HP_NAMESPACE": {
                "flag": "namespace",
                "prompt": "Kubernetes namespace",
                "pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
                "description": "Namespace of the deployment; created when it does not exist."
            },
            "HP_REPLICAS": {
                "flag": "replicas",
                "prompt": "Replicas",
                "pattern": "^[1-9][0-9]*$",
                "description": "Pods that serve the model."
            },
            "HP_QUEUE": {
                "flag": "queue",
                "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$",
                "description": "Kueue local queue that admits the pods; empty: none."
            }
        }
    },
    "hyperpod-eks": {
        "summary": "SageMaker HyperPod cluster through its inference operator",
        "aliases": [
            "hyperpod"
        ],
        "status_var": "DEPLOYMENT_TARGET_HP_STATUS",
        "required_vars": [
            "INSTANCE_TYPE",
            "HP_CLUSTER_NAME"
        ],
        "optional_vars": {
            "HP_GPU_COUNT": "auto",
            "HP_NAMESPACE": "default",
            "HP_REPLICAS": "1",
            "HP_QUEUE": "",
            "HP_INSTANCE_GROUP_NAME": ""
        },
        "params": {
            "INSTANCE_TYPE": {
                "flag": "instance-type",
                "prompt": "Instance type",
                "pattern": "^ml\\.[a-z0-9-]+\\.[a-z0-9]+$",
                "description": "Instance type to deploy on, such as ml.g5.2xlarge."
            },
            "HP_CLUSTER_NAME": {
                "flag": "cluster-name",
                "prompt": "HyperPod cluster name",
                "pattern": "^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$",
                "description": "Name of the HyperPod cluster."
            },
            "HP_GPU_COUNT": {
                "flag": "gpu-count",
                "prompt": "GPUs per copy",
                "pattern": "^(auto|0|[1-9][0-9]?)$",
                "description": "Accelerators for each copy: a whole number, or auto: what the instance type has, 1 where none is named."
            },
            "HP_NAMESPACE": {
                "flag": "namespace",
                "prompt": "Kubernetes namespace",
                "pattern": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$",
                "description": "Namespace of the deployment; created when it does not exist."
            },
            "HP_REPLICAS": {
                "flag": "replicas",
                "prompt": "Replicas",
                "pattern": "^[1-9][0-9]*$",
                "description": "Pods that serve the model."
            },
            "HP_QUEUE": {
                "flag": "queue",
                "pattern": "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$",
                "description": "Kueue local queue that admits the pods; empty: none."
            },
            "HP_INSTANCE_GROUP_NAME": {
                "pattern": "^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$",
                "description": "Instance group of the HyperPod cluster to run in; empty: any."
            }
        }
    },
    "realtime-inference": {
        "summary": "SageMaker real-time endpoint with inference components",
        "aliases": [
            "managed-inference",
            "realtime"
        ],
        "status_var": "DEPLOYMENT_TARGET_SMAI_STATUS",
        "required_vars": [
            "INSTANCE_TYPE",
            "ENDPOINT_NAME"
        ],
        "optional_vars": {
            "ENDPOINT_STRATEGY": "new",
            "INSTANCE_TYPES": "",
            "IC_GPU_COUNT": "auto",
            "IC_CPU_COUNT": "",
            "IC_MEMORY_SIZE": "4096",
            "IC_COPY_COUNT": "1"
        },
        "params": {
            "INSTANCE_TYPE": {
                "flag": "instance-type",
                "prompt": "Instance type",
                "pattern": "^ml\\.[a-z0-9-]+\\.[a-z0-9]+$",
                "description": "Instance type to deploy on, such as ml.g5.2xlarge."
            },
            "ENDPOINT_NAME": {
                "flag": "endpoint-name",
                "prompt": "Endpoint name",
                "default_from": "PROJECT_NAME",
                "pattern": "^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$",
                "description": "Name of the SageMaker endpoint: letters, digits and inner hyphens, at most 63."
            },
            "ENDPOINT_STRATEGY": {
                "flag": "endpoint-strategy",
                "prompt": "Endpoint strategy",
                "enum": [
                    "new",
                    "existing",
                    "heterogeneous"
                ],
                "description": "new: an endpoint of this project; existing: attach to a running one; heterogeneous: several instance types."
            },
            "INSTANCE_TYPES": {
                "flag": "instance-types",
                "pattern": "^ml\\.[a-z0-9-]+\\.[a-z0-9]+(,ml\\.[a-z0-9-]+\\.[a-z0-9]+){1,4}$",
                "description": "For heterogeneous: 2 to 5 instance types by priority, separated by commas."
            },
            "IC_GPU_COUNT": {
                "flag": "gpu-count",
                "prompt": "GPUs per copy",
                "pattern": "^(auto|0|[1-9][0-9]?)$",
                "description": "Accelerators for each copy: a whole number, or auto: what the instance type has, 1 where none is named."
            },
            "IC_CPU_COUNT": {
                "pattern": "^(0\\.(2[5-9]|[3-9])[0-9]*|[1-9][0-9]*(\\.[0-9]+)?)$",
                "description": "CPU cores for each copy, at least 0.25; empty: not reserved."
            },
            "IC_MEMORY_SIZE": {
                "pattern": "^(12[89]|1[3-9][0-9]|[2-9][0-9]{2}|[1-9][0-9]{3,})$",
                "description": "Memory for each copy in MiB, at least 128."
            },
            "IC_COPY_COUNT": {
                "pattern": "^[1-9][0-9]*$",
                "description": "Copies of the model on the endpoint."
            }
        }
    }
}
# <<< END GENERATED

_LIFECYCLE_FIELDS = ("lifecycle", "answer", "default")


def _read_manifests(folder):
    manifests = {}
    for name in sorted({*names(folder), *_FALLBACK}):
        try:
            manifests[name] = target_manifest.load_one(name, folder)
        except DescriptorError as error:
            if name in _FALLBACK:
                manifests[name] = _FALLBACK[name]
            _warn(error, "using the copy from when the project was rendered" if name in _FALLBACK else "left out")
    return manifests


def _read_variables(folder):
    try:
        return target_manifest.shared_variables(folder)
    except DescriptorError as error:
        _warn(error, "going on without it")
        return {}


def _warn(error, consequence):
    print(f"warning: {error}; {consequence}", file=sys.stderr)


def _param(name, variable):
    """How a target's variable is asked for: the target's own words, else the shared ones."""
    own = MANIFESTS[name].get("params", {}).get(variable)
    if own is not None:
        return own
    if variable in VARIABLES:
        return {key: value for key, value in VARIABLES[variable].items() if key not in _LIFECYCLE_FIELDS}
    return _FALLBACK.get(name, {}).get("params", {}).get(variable)


def variables_of(name):
    """A target's variables in its descriptor's order, required ones first."""
    return [*SCHEMAS[name]["required"], *SCHEMAS[name]["optional"]]


MANIFESTS = _read_manifests(target_manifest.TARGETS_DIR)
VARIABLES = _read_variables(target_manifest.TARGETS_DIR)

SCHEMAS = target_manifest.schemas(MANIFESTS)
STATUS_VARS = target_manifest.status_vars(MANIFESTS)
TARGET_ALIASES = target_manifest.target_aliases(MANIFESTS)
# Target -> variable -> {"flag", "prompt", "pattern" or "enum", "description"}, for the variables that have any.
PARAMS = {
    name: {variable: _param(name, variable) for variable in variables_of(name) if _param(name, variable)}
    for name in MANIFESTS
}


def canonical(name):
    """The target that a name or alias means, or None."""
    return target_manifest.canonical(name, MANIFESTS)
