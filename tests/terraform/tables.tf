resource "aws_dynamodb_table" "sessions" {
  name             = "tidal-sessions"
  billing_mode     = "PAY_PER_REQUEST"
  hash_key         = "id"
  range_key        = "at"
  stream_enabled   = true
  stream_view_type = "NEW_AND_OLD_IMAGES"
  attribute {
    name = "id"
    type = "S"
  }
  attribute {
    name = "at"
    type = "N"
  }
  attribute {
    name = "owner"
    type = "S"
  }
  dynamic "global_secondary_index" {
    for_each = local.once
    content {
      name               = "by-owner"
      hash_key           = "owner"
      range_key          = "at"
      projection_type    = "INCLUDE"
      non_key_attributes = ["text"]
    }
  }
  local_secondary_index {
    name            = "by-local-owner"
    range_key       = "owner"
    projection_type = "KEYS_ONLY"
  }
  ttl {
    attribute_name = "expires"
    enabled        = true
  }
  point_in_time_recovery {
    enabled = local.whole
  }
  tags = { delay = var.delay_seconds }
}

resource "aws_dynamodb_table" "provisioned" {
  name           = "tidal-provisioned-${var.generation}"
  read_capacity  = 5
  write_capacity = var.delay_seconds
  hash_key       = "id"
  attribute {
    name = "id"
    type = "B"
  }
  lifecycle {
    ignore_changes = [tags, tags_all]
  }
}

resource "aws_dynamodb_table_item" "first" {
  table_name = aws_dynamodb_table.sessions.name
  hash_key   = "id"
  range_key  = "at"
  item       = jsonencode({ id = { S = "first" }, at = { N = "1" }, delay = { N = tostring(var.delay_seconds) } })
}

resource "aws_dynamodb_resource_policy" "sessions" {
  resource_arn = aws_dynamodb_table.sessions.arn
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow", Action = "dynamodb:GetItem", Resource = aws_dynamodb_table.sessions.arn,
    Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.current.account_id}:root" }
  }] })
}

resource "aws_kinesis_stream" "changes" {
  name             = "tidal-changes"
  shard_count      = 2
  retention_period = 24 + var.delay_seconds
}

resource "aws_kinesis_stream" "demand" {
  name = "tidal-demand-${var.generation}"
  stream_mode_details {
    stream_mode = "ON_DEMAND"
  }
}

resource "aws_kinesis_stream_consumer" "reader" {
  name       = "tidal-reader"
  stream_arn = aws_kinesis_stream.changes.arn
}

resource "aws_dynamodb_kinesis_streaming_destination" "sessions" {
  table_name = aws_dynamodb_table.sessions.name
  stream_arn = aws_kinesis_stream.changes.arn
}

resource "aws_kinesis_resource_policy" "changes" {
  resource_arn = aws_kinesis_stream.changes.arn
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow", Action = ["kinesis:DescribeStreamSummary", "kinesis:PutRecord"]
    Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.current.account_id}:root" }
    Resource  = aws_kinesis_stream.changes.arn
  }] })
}

resource "aws_dynamodb_tag" "owner" {
  resource_arn = aws_dynamodb_table.provisioned.arn
  key          = "owner"
  value        = "tide"
}
