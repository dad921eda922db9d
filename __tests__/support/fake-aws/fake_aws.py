"""An `aws` command for tests: a small SageMaker that keeps its state in a file, records every call, and fails on demand.

FAKE_AWS_DIR holds state.json (what exists), faults.json (rules, see `fault_of`) and calls.jsonl (what was called: arguments,
request, standard input). Only what the scripts of a project call is there; anything else is an error.
"""

import json
import os
import re
import signal
import sys

FOLDER = os.environ["FAKE_AWS_DIR"]
ACCOUNT = "arn:aws:sagemaker:eu-west-1:123456789012"
KINDS = {
    "model": "ModelName",
    "endpoint-config": "EndpointConfigName",
    "endpoint": "EndpointName",
    "inference-component": "InferenceComponentName",
    "transform-job": "TransformJobName",
}
MOVING = ("Creating", "Updating", "Deleting", "InProgress", "Stopping")


class ServiceError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def load(name, otherwise):
    try:
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return otherwise


def save(name, value):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        json.dump(value, file)


class Service:
    """What exists, by kind and name. `progress` has the states that a resource goes through, one for each look."""

    def __init__(self, state, faults):
        self.state = state
        self.rules = faults

    def all(self, kind):
        return self.state.setdefault(kind, {})

    def get(self, kind, name):
        if name not in self.all(kind):
            raise ServiceError("ValidationException", f'Could not find {kind} "{ACCOUNT}:{kind}/{name}".')
        return self.all(kind)[name]

    def create(self, kind, request):
        name = request[KINDS[kind]]
        if name in self.all(kind):
            raise ServiceError("ValidationException", f"Cannot create already existing {kind} {name}")
        self._check_references(kind, request)
        made = {"Request": request, "Arn": f"{ACCOUNT}:{kind}/{name}", "Reason": None}
        self.all(kind)[name] = made
        if kind in ("model", "endpoint-config"):
            return
        first, last = ("InProgress", "Completed") if kind == "transform-job" else ("Creating", "InService")
        self._start(kind, made, first, last)

    def _check_references(self, kind, request):
        if kind == "endpoint":
            self.get("endpoint-config", request["EndpointConfigName"])
        if kind == "endpoint-config":
            for variant in request["ProductionVariants"]:
                if "ModelName" in variant:
                    self.get("model", variant["ModelName"])
                elif "ExecutionRoleArn" not in request:
                    raise ServiceError("ValidationException", "a variant without a model needs ExecutionRoleArn")
        if kind == "inference-component":
            endpoint = self.get("endpoint", request["EndpointName"])
            if endpoint["Status"] != "InService":
                raise ServiceError("ValidationException", f"the endpoint is {endpoint['Status']}")
        if kind == "transform-job":
            self.get("model", request["ModelName"])

    def _start(self, kind, resource, first, last):
        outcome = self.state.get("outcomes", {}).pop(f"{first} {kind}", None)
        resource["Status"] = first
        if outcome == "stuck":
            resource["Progress"] = [first]
            resource["Stuck"] = True
        else:
            resource["Progress"] = [first, outcome["Status"] if outcome else last]
            resource["Outcome"] = outcome

    def look(self, kind, name):
        resource = self.get(kind, name)
        if kind in ("model", "endpoint-config"):
            return {**resource["Request"], f"{self._camel(kind)}Arn": resource["Arn"]}
        resource["Looked"] = resource.get("Looked", 0) + 1
        if not resource.get("Stuck"):
            self._move(kind, name, resource)
        if name not in self.all(kind):
            return self.get(kind, name)
        return self._described(kind, resource)

    def _move(self, kind, name, resource):
        # One look sees the state, the next one what comes after it.
        progress = resource["Progress"]
        resource["Status"] = progress[0]
        if len(progress) > 1:
            progress.pop(0)
            if resource["Status"] == "Gone":
                del self.all(kind)[name]
        elif resource["Status"] == "Gone":
            del self.all(kind)[name]
        elif resource["Status"] not in MOVING:
            outcome = resource.pop("Outcome", None)
            resource["Reason"] = (outcome or {}).get("Reason", resource["Reason"])
            pending = resource.pop("Pending", None)
            if pending and not (outcome or {}).get("RolledBack"):
                resource["Request"].update(pending)

    def _described(self, kind, resource):
        request, status = resource["Request"], resource["Status"]
        described = {**request, f"{self._camel(kind)}Arn": resource["Arn"], "FailureReason": resource["Reason"]}
        described["InferenceComponentStatus" if kind == "inference-component" else f"{self._camel(kind)}Status"] = status
        if kind == "endpoint":
            config = self.all("endpoint-config").get(request["EndpointConfigName"], {"Request": {"ProductionVariants": [{}]}})
            described["ProductionVariants"] = [{"VariantName": v.get("VariantName")} for v in config["Request"]["ProductionVariants"]]
        container = request.get("Specification", {}).get("Container")
        if container:
            described["Specification"] = {
                **request["Specification"],
                "Container": {"DeployedImage": {"SpecifiedImage": container.get("Image")}},
            }
        return described

    def update(self, kind, request):
        resource = self.get(kind, request[KINDS[kind]])
        if resource["Status"] in MOVING:
            raise ServiceError("ValidationException", f"Cannot update in-progress {kind}.")
        if kind == "endpoint":
            self.get("endpoint-config", request["EndpointConfigName"])
        resource["Reason"] = None
        resource["Pending"] = {key: value for key, value in request.items() if key != KINDS[kind]}
        self._start(kind, resource, "Updating", "InService")

    def delete(self, kind, name):
        resource = self.get(kind, name)
        if resource.get("Status") in MOVING:
            raise ServiceError("ValidationException", f"Cannot delete in-progress {kind}.")
        if kind == "endpoint" and any(c["Request"]["EndpointName"] == name for c in self.all("inference-component").values()):
            raise ServiceError("ValidationException", "the endpoint has inference components")
        if kind == "endpoint-config" and any(e["Request"]["EndpointConfigName"] == name for e in self.all("endpoint").values()):
            raise ServiceError("ValidationException", "the endpoint config is used by an endpoint")
        if kind == "inference-component" and any(
            c["Request"]["Specification"].get("BaseInferenceComponentName") == name
            for c in self.all("inference-component").values()
        ):
            raise ServiceError("ValidationException", "adapters use the component")
        if kind in ("endpoint", "inference-component"):
            resource["Status"], resource["Progress"] = "Deleting", ["Deleting", "Gone"]
            resource.pop("Stuck", None)
        else:
            del self.all(kind)[name]

    def call(self, operation, options, request):
        verb, _, rest = operation.partition("-")
        name = options.get(f"--{rest}-name")
        if verb == "create":
            self.create(rest, request)
            return {}
        if operation == "update-inference-component-runtime-config":
            self.update("inference-component", {**request, "RuntimeConfig": request.pop("DesiredRuntimeConfig")})
            return {}
        if verb == "update":
            self.update(rest, request)
            return {}
        if operation == "describe-cluster":
            return self.get("cluster", options["--cluster-name"])
        if verb == "describe":
            return self.look(rest, name)
        if verb == "delete":
            self.delete(rest, name)
            return {}
        if operation == "stop-transform-job":
            resource = self.get("transform-job", options["--transform-job-name"])
            resource["Progress"], resource["Status"] = ["Stopping", "Stopped"], "Stopping"
            resource.pop("Stuck", None)
            return {}
        if operation == "list-tags":
            for kind in KINDS:
                for resource in self.all(kind).values():
                    if resource["Arn"] == options["--resource-arn"]:
                        return {"Tags": resource["Request"].get("Tags", [])}
            raise ServiceError("ValidationException", "Could not find the resource")
        if operation == "list-inference-components":
            return {
                "InferenceComponents": [
                    {"InferenceComponentName": name, "InferenceComponentArn": c["Arn"]}
                    for name, c in self.all("inference-component").items()
                    if c["Request"]["EndpointName"] == options["--endpoint-name-equals"]
                ]
            }
        raise ServiceError("UnknownOperationException", operation)

    @staticmethod
    def _camel(kind):
        return "".join(part.capitalize() for part in kind.split("-"))


def other_services(service, operation, options, state):
    """The few calls to other services."""
    if (service, operation) == ("sts", "get-caller-identity"):
        return {"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/tester"}
    if (service, operation) == ("s3api", "head-bucket"):
        if options["--bucket"] in state.get("buckets", []):
            return {}
        raise ServiceError("404", "Not Found")
    if (service, operation) == ("sns", "get-topic-attributes"):
        if options["--topic-arn"] in state.get("topics", []):
            return {}
        raise ServiceError("NotFound", "Topic does not exist")
    if (service, operation) == ("secretsmanager", "get-secret-value"):
        if options["--secret-id"] in state.get("secrets", {}):
            return {"SecretString": state["secrets"][options["--secret-id"]]}
        raise ServiceError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
    if (service, operation) == ("eks", "update-kubeconfig"):
        if options["--name"] not in state.get("eks", []):
            raise ServiceError("ResourceNotFoundException", f"No cluster found for name: {options['--name']}.")
        with open(options["--kubeconfig"], "w", encoding="utf-8") as file:
            file.write(f"# {options['--alias']}\n")
        return {}
    raise ServiceError("UnknownOperationException", f"{service} {operation}")


def evaluate(query, value):
    """As much of the query language as the scripts use."""
    query = query.strip()
    if query.startswith("[") and query.endswith("]"):
        return [evaluate(part, value) for part in query[1:-1].split(",")]
    for alternative in query.split("||"):
        found = path(alternative.strip(), value)
        if found is not None:
            return found
    return None


def path(query, value):
    if query.startswith("`"):
        return query.strip("`")
    projection = re.match(r"^([A-Za-z]+)\[\]\.(.*)$", query)
    if projection:
        return [evaluate(projection.group(2), item) for item in (value or {}).get(projection.group(1), [])]
    for step in re.findall(r"[A-Za-z]+|\[\d+\]", query):
        if value is None:
            return None
        value = value[int(step[1:-1])] if step.startswith("[") else value.get(step)
    return value


def text(value):
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return "\n".join(text(row) for row in value)
        return "\t".join(text(item) for item in value)
    return "None" if value is None else str(value)


def fault_of(rules, service, operation):
    """The first rule that fits the call: {call, after?, times?, error?, words?, code?}. `after` calls pass before it counts."""
    for rule in rules:
        if not re.fullmatch(rule["call"], f"{service} {operation}"):
            continue
        if rule.get("after", 0) > 0:
            rule["after"] -= 1
            continue
        if rule.get("times", 1) > 0:
            rule["times"] = rule.get("times", 1) - 1
            return rule
    return None


def kill_scripts():
    """Kills the script that started this call, with its subshells, from the outermost in."""
    scripts, pid = [], os.getppid()
    while pid > 1:
        with open(f"/proc/{pid}/cmdline", "rb") as command, open(f"/proc/{pid}/stat", "rb") as stat:
            words = command.read().split(b"\0")
            # Only `bash <project>/do/<verb> …`: above them stands the test itself.
            if len(words) > 1 and words[0].endswith(b"bash") and re.search(rb"/do/[a-z-]+$", words[1]):
                scripts.insert(0, pid)
            pid = int(stat.read().rpartition(b")")[2].split()[1])
    for script in scripts:
        os.kill(script, signal.SIGKILL)


def main(arguments):
    service, operation, rest = arguments[0], arguments[1], arguments[2:]
    options = dict(zip(rest[0::2], rest[1::2]))
    stdin = sys.stdin.read()
    request = json.loads(options["--cli-input-json"]) if "--cli-input-json" in options else None
    for option, value in options.items():
        if value == "file:///dev/stdin":
            member = "".join(part.capitalize() for part in option[2:].split("-"))
            request[member] = json.loads(stdin)
    with open(os.path.join(FOLDER, "calls.jsonl"), "a", encoding="utf-8") as calls:
        environment = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
        record = {"call": f"{service} {operation}", "arguments": rest, "request": request, "environment": environment}
        calls.write(json.dumps(record) + "\n")
    state, rules = load("state.json", {}), load("faults.json", [])
    rule = fault_of(rules, service, operation)
    save("faults.json", rules)
    try:
        if rule and not rule.get("afterwards") and not rule.get("kill"):
            raise ServiceError(rule.get("error"), rule.get("words", "injected"))
        if service == "sagemaker":
            result = Service(state, rules).call(operation, options, json.loads(json.dumps(request)))
        else:
            result = other_services(service, operation, options, state)
        if rule and rule.get("kill"):
            save("state.json", state)
            kill_scripts()
            return 0
        if rule:
            raise ServiceError(rule.get("error"), rule.get("words", "injected"))
    except ServiceError as error:
        save("state.json", state)
        camel = "".join(part.capitalize() for part in operation.split("-"))
        prefix = f"An error occurred ({error.code}) when calling the {camel} operation: " if error.code else ""
        print(f"\n{prefix}{error}", file=sys.stderr)
        return (rule or {}).get("code", 254)
    save("state.json", state)
    if "--query" in options:
        result = evaluate(options["--query"], result)
    print(text(result) if options.get("--output") == "text" else json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
