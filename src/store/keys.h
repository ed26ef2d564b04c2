// How the key space is divided: the first byte of every key, in one place so that no two uses collide
// (docs/store-format.md). What follows the byte is each owner's, in base/ordered.h encoding.
#pragma once

namespace tidemill::store {

enum class KeySpace : char {
  meta = '!',        // format version, counters: store/ only
  log = 'L',         // records of logs: store/ only
  timer = 'T',       // store/timer.cc
  delivery = 'D',    // store/delivery.cc
  lease = 'E',       // store/lease.cc
  tally = '#',       // what many change at once (Transaction::add, lower): store/queue.cc, then each owner's key
  item = 'I',        // DynamoDB items and index entries, by table id
  resource = 'R',    // descriptions of resources: account, region, service, type, name
  mapping = 'M',     // event source mappings and their checkpoints: engine/mappings
  client_token = 'C',  // requests that were carried out, by their client's token: services/dynamodb/idempotency.cc
  message = 'Q',     // messages of SQS queues, by queue id: services/sqs/message_keys.h
  metric = 'W',       // metrics of CloudWatch and their aggregates: services/cloudwatch/metric_keys.h
  log_event = 'G',    // events and streams of log groups, by group id: services/logs/log_keys.h
  notification = 'N',  // messages of SNS topics on their way: services/sns/message.h, fifo.h
  blob = 'F',        // files beside the store that something refers to: store/blobs.cc
  bucket = 'B',      // S3's buckets and what is in them: services/s3/bucket_keys.h
  schedule = 'H',    // schedules of EventBridge Scheduler: services/scheduler/schedule.h
  fhir = 'Y',        // resources in HealthLake's data stores, and their exports: services/healthlake/store_keys.h
  execution = 'X',   // executions of state machines and what they run: services/states/keys.h
};

}  // namespace tidemill::store
