"""ECR with boto3 and the AWS CLI: repositories as records, as tools that deploy make them."""
import json

import pytest

from awscli_support import aws  # noqa: F401  the fixture
from harness import quietly, refused, unique

# What `cdk bootstrap` asks for.
LIFECYCLE = json.dumps({"rules": [{
    "rulePriority": 1, "description": "Untagged images should not exist, but expire any older than one year",
    "selection": {"tagStatus": "untagged", "countType": "sinceImagePushed", "countUnit": "days", "countNumber": 365},
    "action": {"type": "expire"}}]})
POLICY = {"Version": "2012-10-17", "Statement": [{
    "Sid": "LambdaECRImageRetrievalPolicy", "Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"},
    "Action": ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]}]}


@pytest.fixture
def ecr(cloud):
    return cloud.client("ecr")


@pytest.fixture
def name(cloud, ecr):
    """A name whose repository is gone after the test."""
    name = unique("mill/repository")
    cloud.cleanup.callback(quietly, ecr.delete_repository, repositoryName=name, force=True)
    return name


def test_a_repository_lives_from_creation_to_deletion(ecr, name):
    made = ecr.create_repository(repositoryName=name, imageTagMutability="IMMUTABLE",
                                 imageScanningConfiguration={"scanOnPush": True},
                                 tags=[{"Key": "stage", "Value": "test"}])["repository"]
    assert made["repositoryArn"].endswith(f":repository/{name}")
    assert made["repositoryUri"].endswith(f".amazonaws.com/{name}")
    assert (made["imageTagMutability"], made["imageScanningConfiguration"]) == ("IMMUTABLE", {"scanOnPush": True})
    assert made["encryptionConfiguration"] == {"encryptionType": "AES256"}
    assert ecr.describe_repositories(repositoryNames=[name])["repositories"] == [made]
    with refused("RepositoryAlreadyExistsException", f"The repository with name '{name}' already exists"):
        ecr.create_repository(repositoryName=name)
    arn = made["repositoryArn"]
    ecr.tag_resource(resourceArn=arn, tags=[{"Key": "team", "Value": "a"}])
    ecr.untag_resource(resourceArn=arn, tagKeys=["stage"])
    assert ecr.list_tags_for_resource(resourceArn=arn)["tags"] == [{"Key": "team", "Value": "a"}]
    ecr.put_image_tag_mutability(repositoryName=name, imageTagMutability="MUTABLE")
    ecr.put_image_scanning_configuration(repositoryName=name, imageScanningConfiguration={"scanOnPush": False})
    found = ecr.describe_repositories(repositoryNames=[name])["repositories"][0]
    assert (found["imageTagMutability"], found["imageScanningConfiguration"]) == ("MUTABLE", {"scanOnPush": False})
    ecr.delete_repository(repositoryName=name)
    with refused("RepositoryNotFoundException", f"The repository with name '{name}' does not exist in the registry"):
        ecr.describe_repositories(repositoryNames=[name])


def test_policies_are_kept(ecr, name):
    ecr.create_repository(repositoryName=name)
    with refused("LifecyclePolicyNotFoundException"):
        ecr.get_lifecycle_policy(repositoryName=name)
    with refused("RepositoryPolicyNotFoundException"):
        ecr.get_repository_policy(repositoryName=name)
    ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=LIFECYCLE)
    assert json.loads(ecr.get_lifecycle_policy(repositoryName=name)["lifecyclePolicyText"]) == json.loads(LIFECYCLE)
    ecr.set_repository_policy(repositoryName=name, policyText=json.dumps(POLICY))
    assert json.loads(ecr.get_repository_policy(repositoryName=name)["policyText"])["Statement"] == POLICY["Statement"]
    ecr.delete_repository_policy(repositoryName=name)
    ecr.delete_lifecycle_policy(repositoryName=name)
    with refused("LifecyclePolicyNotFoundException"):
        ecr.get_lifecycle_policy(repositoryName=name)


def test_a_new_repository_holds_no_images(ecr, name):
    ecr.create_repository(repositoryName=name)
    assert ecr.describe_images(repositoryName=name)["imageDetails"] == []
    assert ecr.list_images(repositoryName=name)["imageIds"] == []
    with refused("ImageNotFoundException"):
        ecr.describe_images(repositoryName=name, imageIds=[{"imageTag": "live"}])
    found = ecr.batch_get_image(repositoryName=name, imageIds=[{"imageTag": "live"}])
    assert (found["images"], found["failures"][0]["failureCode"]) == ([], "ImageNotFound")


@pytest.mark.local
def test_what_needs_images_is_refused_by_name(ecr, name):
    with refused("InvalidParameterException", "GetAuthorizationToken"):
        ecr.get_authorization_token()
    with refused("InvalidParameterException", "encryptionType"):
        ecr.create_repository(repositoryName=name, encryptionConfiguration={"encryptionType": "KMS"})


@pytest.mark.local
def test_the_command_line_makes_a_repository(aws, name):  # noqa: F811
    assert aws("ecr", "create-repository", repository_name=name)["repository"]["repositoryName"] == name
    assert "(RepositoryNotFoundException)" in aws.error("ecr", "list-images", repository_name=name + "x")
