resource "aws_s3_bucket" "files" {
  bucket        = "tidal-files"
  force_destroy = true
}

resource "aws_s3_bucket_versioning" "files" {
  bucket = aws_s3_bucket.files.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "files" {
  bucket = aws_s3_bucket.files.id
  rule {
    id     = "old"
    status = "Enabled"
    filter {
      prefix = "old/"
    }
    expiration {
      days = 5
    }
    noncurrent_version_expiration {
      noncurrent_days = 3
    }
    abort_incomplete_multipart_upload {
      days_after_initiation = 1
    }
  }
  depends_on = [aws_s3_bucket_versioning.files]
}

resource "aws_s3_bucket_cors_configuration" "files" {
  bucket = aws_s3_bucket.files.id
  cors_rule {
    allowed_methods = ["GET", "PUT"]
    allowed_origins = ["https://app.example"]
    allowed_headers = ["*"]
    expose_headers  = ["ETag"]
    max_age_seconds = 60 + var.delay_seconds
  }
}

resource "aws_s3_bucket_notification" "files" {
  bucket      = aws_s3_bucket.files.id
  eventbridge = true
  queue {
    queue_arn     = aws_sqs_queue.outbox.arn
    events        = ["s3:ObjectCreated:*"]
    filter_prefix = "in/"
    filter_suffix = ".json"
  }
  lambda_function {
    lambda_function_arn = aws_lambda_function.forward.arn
    events              = ["s3:ObjectRemoved:*"]
  }
  depends_on = [aws_sqs_queue_policy.outbox, aws_lambda_permission.bucket]
}

resource "aws_s3_bucket_public_access_block" "files" {
  bucket                  = aws_s3_bucket.files.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "files" {
  bucket = aws_s3_bucket.files.id
  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "files" {
  bucket = aws_s3_bucket.files.id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = "AES256"
    }
  }
}

resource "aws_s3_bucket_policy" "files" {
  bucket = aws_s3_bucket.files.id
  policy = jsonencode({ Version = "2012-10-17", Statement = [{
    Sid       = "TlsOnly", Effect = "Deny", Action = "s3:*", Principal = "*",
    Resource  = [aws_s3_bucket.files.arn, "${aws_s3_bucket.files.arn}/*"],
    Condition = { Bool = { "aws:SecureTransport" = "false" } }
  }] })
}

resource "aws_s3_object" "greeting" {
  bucket       = aws_s3_bucket.files.id
  key          = "out/greeting.txt"
  content      = "delay ${var.delay_seconds}"
  content_type = "text/plain"
  metadata     = { kind = "greeting" }
  depends_on   = [aws_s3_bucket_versioning.files]
}

resource "aws_s3_bucket" "plain" {
  bucket = "tidal-plain-${var.generation}"
}

resource "aws_s3_bucket_metric" "plain" {
  bucket = aws_s3_bucket.plain.id
  name   = "all"
}

resource "aws_s3_object_copy" "greeting" {
  bucket = aws_s3_bucket.plain.id
  key    = "copied.txt"
  source = "${aws_s3_object.greeting.bucket}/${aws_s3_object.greeting.key}"
}
