"""Terraform with its AWS provider, as a host has them, with nothing but the endpoint set."""
import glob
import json
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

from harness import REGION

RUN_SECONDS = 600
PROVIDER = pathlib.PurePath("registry.terraform.io", "hashicorp", "aws")
# Where providers are installed beside those that Terraform fetches: its own implied mirrors, and whatever lies in /opt.
USUAL_PLACES = ("~/.terraform.d/plugins", "~/.local/share/terraform/plugins", "/usr/local/share/terraform/plugins",
                "/usr/share/terraform/plugins", "/opt/*", "/opt/*/plugins")


def plugins():
    """The folder with the AWS provider for this machine: TF_PLUGIN_DIR, or one of the usual places."""
    places = [os.environ["TF_PLUGIN_DIR"]] if "TF_PLUGIN_DIR" in os.environ else USUAL_PLACES
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    for place in places:
        for folder in sorted(glob.glob(os.path.expanduser(place))):
            if list(pathlib.Path(folder, PROVIDER).glob(f"*/linux_{architecture}")):
                return folder
    return None


def needed():
    """Skips the tests of a module where something is missing, and says what."""
    return [pytest.mark.skipif(not shutil.which("terraform"), reason="terraform is not on the PATH"),
            pytest.mark.skipif(not plugins(), reason=f"no {PROVIDER} in TF_PLUGIN_DIR or the usual places")]


class Failed(Exception):
    """Terraform has ended with an error; its text is what it has printed."""


class Terraform:
    """`terraform` in a folder with a configuration, for a server."""

    def __init__(self, folder, server, **variables):
        self.folder, self.server, self.variables = folder, server, variables
        settings = folder / "terraform.rc"
        settings.write_text('provider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' % plugins())
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("AWS_", "TF_"))}
        self.environment = {**kept, "AWS_ENDPOINT_URL": server.endpoint, "AWS_ACCESS_KEY_ID": "test",
                            "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": REGION, "AWS_MAX_ATTEMPTS": "3",
                            "AWS_EC2_METADATA_DISABLED": "true", "TF_CLI_CONFIG_FILE": str(settings),
                            "TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1", "HOME": str(folder)}
        self("init")

    def __call__(self, command, *arguments, codes=(0,)):
        """What it prints on standard output; its exit code is one of `codes`."""
        given = {f"TF_VAR_{name}": str(value) for name, value in self.variables.items()}
        done = subprocess.run(["terraform", *command.split(), "-no-color", *arguments], cwd=self.folder, text=True,
                              timeout=RUN_SECONDS, capture_output=True, env={**self.environment, **given})
        if done.returncode not in codes:
            raise Failed(f"{command}: {done.stdout[-3000:]}{done.stderr}\n{self.server.log()[-3000:]}")
        return done.stdout

    def apply(self):
        # More at once than usual: many of the provider's steps wait for seconds, whatever the server says.
        self("apply", "-auto-approve", "-parallelism=100")

    def destroy(self):
        self("destroy", "-auto-approve", "-parallelism=100")

    def planned(self):
        """What an apply would do: {address: ["update"], …}, without what stays as it is."""
        self("plan", "-out=plan", "-parallelism=100")
        plan = json.loads(self("show", "-json", "plan"))
        changes = {one["address"]: one["change"] for one in plan.get("resource_changes", [])}
        self.last_plan = changes
        return {address: change["actions"] for address, change in changes.items()
                if change["actions"] not in (["no-op"], ["read"])}

    def state(self):
        """{address: values} of what is managed."""
        root = json.loads(self("show", "-json")).get("values", {}).get("root_module", {})
        return {one["address"]: one["values"] for one in root.get("resources", []) if one["mode"] == "managed"}
