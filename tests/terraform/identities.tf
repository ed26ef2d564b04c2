data "aws_iam_policy_document" "trust" {
  for_each = toset(["lambda", "events"])
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type = "Service"
      identifiers = each.key == "lambda" ? ["lambda.amazonaws.com"] : [
      "events.amazonaws.com", "scheduler.amazonaws.com", "pipes.amazonaws.com", "states.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "functions" {
  name                 = "tidal-functions"
  assume_role_policy   = data.aws_iam_policy_document.trust["lambda"].json
  max_session_duration = 3600 + var.delay_seconds
  description          = local.whole ? "what functions run as" : null
  permissions_boundary = local.whole ? aws_iam_policy.boundary.arn : null
}

resource "aws_iam_role" "events" {
  name                  = "tidal-events"
  path                  = "/tidal/"
  assume_role_policy    = data.aws_iam_policy_document.trust["events"].json
  force_detach_policies = true
}

resource "aws_iam_policy" "boundary" {
  name = "tidal-boundary-${var.generation}"
  lifecycle {
    create_before_destroy = true # a boundary that somebody has cannot be deleted
  }
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}

data "aws_iam_policy_document" "functions" {
  statement {
    sid       = "Tables"
    actions   = ["dynamodb:*", "kinesis:*"]
    resources = [aws_dynamodb_table.sessions.arn, "${aws_dynamodb_table.sessions.arn}/*", aws_kinesis_stream.changes.arn]
  }
  statement {
    sid       = "Queues"
    actions   = ["sqs:*"]
    resources = ["*"]
    condition {
      test     = "NumericLessThan"
      variable = "aws:MultiFactorAuthAge"
      values   = [var.delay_seconds]
    }
  }
}

resource "aws_iam_role_policy" "functions" {
  name   = "tables"
  role   = aws_iam_role.functions.id
  policy = data.aws_iam_policy_document.functions.json
}

resource "aws_iam_policy" "logs" {
  name        = "tidal-logs"
  description = "writes logs"
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow", Action = ["logs:PutLogEvents", "logs:CreateLogStream"], Resource = "*",
    Condition = { NumericLessThan = { "aws:MultiFactorAuthAge" = tostring(var.delay_seconds) } }
  }] })
}

resource "aws_iam_role_policy_attachment" "functions" {
  role       = aws_iam_role.functions.name
  policy_arn = aws_iam_policy.logs.arn
}

resource "aws_iam_role_policy_attachment" "managed" {
  role       = aws_iam_role.functions.name
  policy_arn = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
}

resource "aws_iam_role_policy" "events" {
  name   = "all"
  role   = aws_iam_role.events.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "*", Resource = "*" }] })
}

resource "aws_iam_instance_profile" "host" {
  name = "tidal-host"
  role = aws_iam_role.events.name
}

resource "aws_iam_user" "robot" {
  name = "tidal-robot"
  path = "/tidal/"
}

resource "aws_iam_access_key" "robot" {
  user = aws_iam_user.robot.name
}

resource "aws_iam_user_policy" "robot" {
  name   = "read"
  user   = aws_iam_user.robot.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "s3:Get*", Resource = "*" }] })
}

resource "aws_iam_group" "robots" {
  name = "tidal-robots"
}

resource "aws_iam_group_policy" "robots" {
  name   = "read"
  group  = aws_iam_group.robots.name
  policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "sqs:Get*", Resource = "*" }] })
}

resource "aws_iam_group_policy_attachment" "robots" {
  group      = aws_iam_group.robots.name
  policy_arn = aws_iam_policy.logs.arn
}

resource "aws_iam_user_group_membership" "robot" {
  user   = aws_iam_user.robot.name
  groups = [aws_iam_group.robots.name]
}

resource "aws_iam_user_policy_attachment" "robot" {
  user       = aws_iam_user.robot.name
  policy_arn = aws_iam_policy.logs.arn
}

resource "aws_iam_service_linked_role" "scaling" {
  aws_service_name = "dynamodb.application-autoscaling.amazonaws.com"
}
