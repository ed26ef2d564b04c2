resource "aws_kms_key" "notes" {
  description             = "delay ${var.delay_seconds}"
  deletion_window_in_days = 7
  enable_key_rotation     = local.whole
  rotation_period_in_days = local.whole ? 100 : null
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Sid       = "Owner", Effect = "Allow", Action = "kms:*", Resource = "*",
    Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.current.account_id}:root" }
  }] })
}

resource "aws_kms_key" "hmac" {
  customer_master_key_spec = "HMAC_256"
  key_usage                = "GENERATE_VERIFY_MAC"
  deletion_window_in_days  = 7
}

resource "aws_kms_alias" "notes" {
  name          = "alias/tidal-notes-${var.generation}"
  target_key_id = aws_kms_key.notes.key_id
}

resource "aws_kms_ciphertext" "note" {
  key_id    = aws_kms_key.notes.key_id
  plaintext = "note"
  context   = { of = "tide" }
}

resource "aws_secretsmanager_secret" "partner" {
  name                    = "tidal/partner"
  description             = "delay ${var.delay_seconds}"
  kms_key_id              = aws_kms_key.notes.arn
  recovery_window_in_days = 0
}

resource "aws_secretsmanager_secret_version" "partner" {
  secret_id     = aws_secretsmanager_secret.partner.id
  secret_string = jsonencode({ password = "moon", delay = var.delay_seconds })
}

resource "aws_secretsmanager_secret_policy" "partner" {
  secret_arn = aws_secretsmanager_secret.partner.arn
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Effect    = "Allow", Action = "secretsmanager:GetSecretValue", Resource = "*",
    Principal = { AWS = "arn:aws:iam::${data.aws_caller_identity.current.account_id}:root" }
  }] })
}

resource "aws_ssm_parameter" "delay" {
  name        = "/tidal/${var.generation}/delay"
  type        = "String"
  value       = var.delay_seconds
  description = "how long to wait"
}

resource "aws_ssm_parameter" "password" {
  name   = "/tidal/password"
  type   = "SecureString"
  value  = "moon ${var.delay_seconds}"
  key_id = aws_kms_key.notes.key_id
}

resource "aws_ssm_parameter" "names" {
  name  = "/tidal/names"
  type  = "StringList"
  value = "high,low"
}

data "aws_ssm_parameter" "delay" {
  name = aws_ssm_parameter.delay.name
}

data "aws_secretsmanager_secret_version" "partner" {
  secret_id = aws_secretsmanager_secret_version.partner.secret_id
}

resource "aws_kms_key_policy" "hmac" {
  key_id = aws_kms_key.hmac.id
  policy = aws_kms_key.notes.policy
}
