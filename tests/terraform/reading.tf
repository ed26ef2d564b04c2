# What a configuration reads of things that it has not made itself.
data "aws_lambda_function" "forward" {
  function_name = aws_lambda_function.forward.function_name
}

data "aws_lambda_alias" "live" {
  function_name = aws_lambda_alias.live.function_name
  name          = aws_lambda_alias.live.name
}

data "aws_lambda_layer_version" "common" {
  layer_name = aws_lambda_layer_version.common.layer_name
}

data "aws_lambda_functions" "all" {
  depends_on = [aws_lambda_function.forward]
}

data "aws_sqs_queue" "inbox" {
  name = aws_sqs_queue.inbox.name
}

data "aws_sqs_queues" "all" {
  queue_name_prefix = "tidal"
  depends_on        = [aws_sqs_queue.inbox]
}

data "aws_sns_topic" "news" {
  name = aws_sns_topic.news.name
}

data "aws_dynamodb_table" "sessions" {
  name = aws_dynamodb_table.sessions.name
}

data "aws_dynamodb_table_item" "first" {
  table_name = aws_dynamodb_table_item.first.table_name
  key        = jsonencode({ id = { S = "first" }, at = { N = "1" } })
}

data "aws_kinesis_stream" "changes" {
  name = aws_kinesis_stream.changes.name
}

data "aws_kinesis_stream_consumer" "reader" {
  name       = aws_kinesis_stream_consumer.reader.name
  stream_arn = aws_kinesis_stream.changes.arn
}

data "aws_s3_bucket" "files" {
  bucket = aws_s3_bucket.files.id
}

data "aws_s3_object" "greeting" {
  bucket = aws_s3_object.greeting.bucket
  key    = aws_s3_object.greeting.key
}

data "aws_s3_objects" "all" {
  bucket = aws_s3_object.greeting.bucket
  prefix = "out/"
}

data "aws_iam_role" "functions" {
  name = aws_iam_role.functions.name
}

data "aws_iam_roles" "tidal" {
  path_prefix = "/tidal/"
  depends_on  = [aws_iam_role.events]
}

data "aws_iam_policy" "logs" {
  arn = aws_iam_policy.logs.arn
}

data "aws_iam_user" "robot" {
  user_name = aws_iam_user.robot.name
}

data "aws_iam_group" "robots" {
  group_name = tolist(aws_iam_user_group_membership.robot.groups)[0]
}

data "aws_iam_session_context" "current" {
  arn = data.aws_caller_identity.current.arn
}

data "aws_iam_instance_profile" "host" {
  name = aws_iam_instance_profile.host.name
}

data "aws_kms_key" "notes" {
  key_id = aws_kms_alias.notes.name
}

data "aws_kms_alias" "notes" {
  name = aws_kms_alias.notes.name
}

data "aws_kms_secrets" "note" {
  secret {
    name    = "note"
    payload = aws_kms_ciphertext.note.ciphertext_blob
    context = { of = "tide" }
  }
}

data "aws_ssm_parameters_by_path" "tidal" {
  path       = "/tidal"
  depends_on = [aws_ssm_parameter.password, aws_ssm_parameter.names]
}

data "aws_secretsmanager_secret" "partner" {
  name = aws_secretsmanager_secret.partner.name
}

data "aws_secretsmanager_random_password" "new" {
  password_length = 20
}

data "aws_cloudwatch_event_bus" "orders" {
  name = aws_cloudwatch_event_bus.orders.name
}

data "aws_cloudwatch_event_connection" "partner" {
  name = aws_cloudwatch_event_connection.partner.name
}

data "aws_sfn_state_machine" "orders" {
  name = aws_sfn_state_machine.orders.name
}

data "aws_sfn_activity" "human" {
  name = aws_sfn_activity.human.name
}

data "aws_sfn_state_machine_versions" "orders" {
  statemachine_arn = aws_sfn_state_machine.orders.arn
}

data "aws_cloudwatch_log_group" "functions" {
  name = aws_cloudwatch_log_group.functions.name
}

data "aws_cloudwatch_log_groups" "tidal" {
  log_group_name_prefix = "/tidal"
  depends_on            = [aws_cloudwatch_log_group.functions]
}

data "aws_cloudformation_stack" "inner" {
  name = aws_cloudformation_stack.inner.name
}

data "aws_cloudformation_export" "delay" {
  name       = "tidal-delay"
  depends_on = [aws_cloudformation_stack.inner]
}

data "aws_ecr_repository" "images" {
  name = aws_ecr_repository.images.name
}

output "read" {
  value = {
    note  = nonsensitive(data.aws_kms_secrets.note.plaintext["note"])
    item  = data.aws_dynamodb_table_item.first.item
    body  = data.aws_s3_object.greeting.body
    delay = data.aws_cloudformation_export.delay.value
  }
}
