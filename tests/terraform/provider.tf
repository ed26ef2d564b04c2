# What test_terraform.py applies, plans again, changes, imports and destroys. Nothing is special but the
# endpoint, and that buckets are named in its path.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

provider "aws" {
  s3_use_path_style = true
  default_tags {
    tags = { application = "tidal" }
  }
}

# What an update changes in place.
variable "delay_seconds" {
  type    = number
  default = 5
}

# What an update can only change by making the resource anew.
variable "generation" {
  type    = string
  default = "one"
}

# What an update takes away again is there in the first generation only.
locals {
  whole = var.generation == "one"
  once  = local.whole ? [1] : []
}

# Zip files of the function's code and of its layer.
variable "code" {
  type = string
}

variable "layer" {
  type = string
}

data "aws_caller_identity" "current" {}
data "aws_region" "current" {}
data "aws_partition" "current" {}
