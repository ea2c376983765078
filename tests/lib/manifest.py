"""Holds the parts of the manifest together: python3 manifest.py FILE

Every member is known, what is mounted is a volume, the service finds the server and its ports, the workers are as many
as the server awaits, and the key is the program's alone. Prints the programs' command lines, quoted."""
import shlex
import sys

import yaml

# Members that the API has at these places (batch/v1, v1), as far as any could be wanted here.
KNOWN = {
    "Service": {"clusterIP", "publishNotReadyAddresses", "selector", "ports"},
    "Job": {"backoffLimit", "completionMode", "completions", "parallelism", "template"},
    "pod": {"restartPolicy", "securityContext", "terminationGracePeriodSeconds", "initContainers", "containers", "volumes"},
    "container": {"name", "image", "workingDir", "command", "args", "ports", "securityContext", "resources", "volumeMounts"},
    "pod security": {"runAsNonRoot", "runAsUser", "runAsGroup", "fsGroup", "seccompProfile"},
    "security": {"allowPrivilegeEscalation", "readOnlyRootFilesystem", "capabilities"},
}


def known(kind, members):
    assert set(members) <= KNOWN[kind], f"{kind}: {set(members) - KNOWN[kind]}"


def check_pod(pod):
    known("pod", pod)
    known("pod security", pod["securityContext"])
    assert pod["restartPolicy"] in ("OnFailure", "Never")
    volumes = {v["name"] for v in pod["volumes"]}
    for c in pod["initContainers"] + pod["containers"]:
        known("container", c)
        known("security", c["securityContext"])
        assert {m["name"] for m in c["volumeMounts"]} <= volumes, c["name"]
        assert all(isinstance(a, str) for a in c["command"] + c.get("args", [])), c["name"]
    install = pod["initContainers"][0]["command"]
    assert install[:3] == ["install", "-m", "0400"] and install[-1] == "/key/key"


def option(args, name):
    return args[args.index(name) + 1]


def main():
    things = list(yaml.safe_load_all(open(sys.argv[1])))
    assert [(t["apiVersion"], t["kind"]) for t in things] == [("v1", "Service"), ("batch/v1", "Job"), ("batch/v1", "Job")]
    for t in things:
        known(t["kind"], t["spec"])
    service, server, workers = (t["spec"] for t in things)
    for job in (server, workers):
        check_pod(job["template"]["spec"])
    assert service["clusterIP"] == "None"
    assert service["selector"].items() <= server["template"]["metadata"]["labels"].items()
    assert not service["selector"].items() <= workers["template"]["metadata"]["labels"].items()
    ps, worker = (j["template"]["spec"]["containers"][0] for j in (server, workers))
    ports = {p["name"]: p["containerPort"] for p in ps["ports"]}
    assert ports == {p["name"]: p["port"] for p in service["ports"]}
    assert option(ps["args"], "-l") == f"tls:0.0.0.0:{ports['workers']}"
    assert option(ps["args"], "--metrics") == f"tcp:0.0.0.0:{ports['metrics']}"
    assert option(worker["args"], "-c") == f"tls:{things[0]['metadata']['name']}:{ports['workers']}"
    assert workers["completionMode"] == "Indexed"
    assert workers["completions"] == workers["parallelism"] == int(option(ps["args"], "-P"))
    for c in (ps, worker):
        assert option(c["args"], "--key-file") == "/key/key"
        print(shlex.join(c["command"] + c["args"]))


main()
