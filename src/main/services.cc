#include "main/services.h"

#include <vector>

#include "engine/deliveries.h"
#include "engine/invokers.h"
#include "engine/mappings/failure_destination.h"
#include "engine/mappings/mappings.h"
#include "engine/mappings/replay.h"
#include "engine/targets/senders.h"
#include "engine/timer_service.h"
#include "engine/workers/function_logs.h"
#include "engine/workers/workers.h"
#include "main/backoff_endpoint.h"
#include "main/backup_endpoint.h"
#include "main/replay_endpoint.h"
#include "net/http_client.h"
#include "services/cloudformation/answers.h"
#include "services/cloudformation/service.h"
#include "services/cloudwatch/alarm_change.h"
#include "services/cloudwatch/service.h"
#include "services/dynamodb/kinesis_forwarder.h"
#include "services/dynamodb/service.h"
#include "services/dynamodb/stream_source.h"
#include "services/dynamodb/table_transfers.h"
#include "services/ecr/service.h"
#include "services/events/service.h"
#include "services/healthlake/service.h"
#include "services/iam/service.h"
#include "services/kinesis/service.h"
#include "services/kinesis/stream_source.h"
#include "services/kms/key_file.h"
#include "services/kms/service.h"
#include "services/lambda/event_source_mappings.h"
#include "services/lambda/service.h"
#include "services/lambda/url_requests.h"
#include "services/logs/service.h"
#include "services/pipes/service.h"
#include "services/s3/bucket_origins.h"
#include "services/s3/service.h"
#include "services/s3/access_logs.h"
#include "services/s3/websites.h"
#include "services/scheduler/service.h"
#include "services/secretsmanager/service.h"
#include "services/sns/service.h"
#include "services/sqs/queue_source.h"
#include "services/sqs/service.h"
#include "services/ssm/service.h"
#include "services/states/service.h"
#include "services/states/tasks/integrations.h"
#include "services/sts/service.h"
#include "store/file_blobs.h"

namespace tidemill {

namespace {

engine::WorkersOptions workers_options(const ServicesOptions& options, engine::FunctionLogs& logs,
                                      wire::PlatformMetrics* usage) {
  engine::WorkersOptions result;
  result.endpoint = options.endpoint;
  result.runtimes = options.data / "runtimes";
  result.scratch = options.data / "scratch";
  result.strict_runtimes = options.strict_runtimes;
  result.workers_max = options.workers_max;
  result.logs = &logs;
  result.usage = usage;
  result.faults = options.faults;
  result.tells_time = options.clock_is_virtual;
  result.keys = options.keys;
  result.sandbox = options.sandbox;
  result.authorities = options.authorities;
  return result;
}

sns::ServiceOptions sns_options(const ServicesOptions& options) {
  sns::ServiceOptions result;
  result.directory = options.data / "sns";
  result.endpoint = options.endpoint;
  result.certificates_from = options.sns_certificates;
  return result;
}

}  // namespace

// In order of construction: each uses only what stands above it, and is destroyed before it.
struct Services::Impl {
  Impl(wire::Platform& platform, net::Loop& loop, const ServicesOptions& options)
      : store(platform.store),
        dynamodb(platform.store, platform.clock,
                 {.throttle = options.throttle,
                  .usage = platform.usage,
                  .expiry_lag = &platform.metrics.histogram("tidemill_ttl_lag_seconds",
                                                            "From when items were to expire until they had.")}),
        kinesis(platform.store, platform.clock, {.throttle = options.throttle}),
        sqs(platform.store, platform.clock,
            {.polls_end_in_real_time = options.clock_stands, .clock_jumps = options.clock_jumps}),
        logs(platform.store, platform.clock),
        blobs(store::open_file_blobs(options.data / "blobs")),
        s3(platform.store, *blobs, platform.clock, true),
        backups(platform.store, *blobs),
        bucket_origins(s3),
        websites(s3, platform),
        access_logs(s3),
        cloudwatch(platform.store, platform.clock, loop, *platform.usage),
        table_streams(platform.store, platform.clock),
        queues(sqs, platform.usage, &platform),
        function_logs(loop, platform),
        workers(loop, platform.clock, platform.metrics, workers_options(options, function_logs, platform.usage)),
        lambda(platform.store, *blobs, workers, options.data / "functions", platform.usage, options.lenient),
        function_urls(lambda, platform),
        data_streams(kinesis, platform.metrics,
                     [this](std::string arn) { return lambda::find_role(lambda.functions(), std::move(arn)); }, &platform),
        event_source_mappings(lambda.functions(), {&table_streams, &data_streams}),
        http(loop, options.calls_max),
        sns(
            platform, [this](net::HttpCall call) { return http.send(std::move(call)); }, sns_options(options)),
        events(platform, [this](net::HttpCall call) { return http.send(std::move(call)); }),
        scheduler(platform),
        pipes(platform, {&table_streams, &data_streams}, {&queues}, lambda.invoker(), &function_logs),
        invokers({{"lambda", &lambda.invoker()}, {"pipes", &pipes.invoker()}}),
        healthlake(platform),
        states(platform,
               states::tasks::make_integrations(
                   platform,
                   {.send = [this](net::HttpCall call) { return http.send(std::move(call)); },
                    .find_connection = [this](std::string arn) { return events.find_connection_parts(std::move(arn)); },
                    .endpoint = options.endpoint}),
               {.polls_end_in_real_time = options.clock_stands}),
        ecr(platform.store),
        iam(platform.store),
        kms(platform, kms::files_of_keys(options.key_file, options.key_directory)),
        secretsmanager(platform.store),
        sts(platform.store),
        ssm(platform.store),
        cloudformation(platform),
        table_transfers(platform),
        timers(platform.store, platform.clock, ownership),
        kinesis_forwarder(platform, ownership),
        deliveries(platform.store, platform.clock, timers),
        mapping_rights(platform),
        mappings(loop, platform.store, platform.clock, ownership, platform.metrics, {&table_streams, &data_streams},
                 invokers, platform.usage, {&queues}, options.window_idle_wait),
        replayer(platform.store, {&table_streams, &data_streams}, lambda.invoker()) {
    dynamodb.register_operations(platform.registry);
    dynamodb.register_timers(timers);
    table_transfers.register_timers(timers);
    kinesis.register_operations(platform.registry);
    kinesis.register_timers(timers);
    sqs.register_operations(platform.registry);
    sqs.register_timers(timers);
    sqs.measure_with(*platform.usage);
    logs.register_operations(platform.registry);
    logs.register_timers(timers, platform);
    logs.register_senders(deliveries, platform);
    s3.register_operations(platform.registry);
    s3.register_timers(timers, platform.usage);
    s3.register_inventories(timers, platform);
    access_logs.register_timers(timers, platform);
    s3.register_senders(deliveries, platform);
    cloudwatch.register_operations(platform.registry);
    cloudwatch.register_timers(timers);
    lambda.register_operations(platform.registry);
    event_source_mappings.register_operations(platform.registry);
    sns.register_operations(platform.registry);
    sns.register_timers(timers, deliveries);
    events.register_operations(platform.registry);
    events.register_timers(timers, deliveries);
    scheduler.register_operations(platform.registry);
    scheduler.register_timers(timers, deliveries);
    pipes.register_operations(platform.registry);
    healthlake.register_operations(platform.registry);
    healthlake.register_timers(timers);
    states.register_operations(platform.registry);
    states.register_timers(timers);
    ecr.register_operations(platform.registry);
    iam.register_operations(platform.registry);
    kms.register_operations(platform.registry);
    kms.register_timers(timers);
    secretsmanager.register_operations(platform.registry);
    secretsmanager.register_timers(timers);
    sts.register_operations(platform.registry);
    sts.register_timers(timers);
    ssm.register_operations(platform.registry);
    cloudformation.register_operations(platform.registry);
    cloudformation.register_timers(timers);
    lambda.register_senders(deliveries, platform);
    deliveries.send_with(cloudwatch::kTopicTarget, [&platform](const store::Delivery& delivery) {
      return cloudwatch::tell_topic(platform, delivery);
    });
    deliveries.send_with(cloudwatch::kFunctionTarget, [&platform](const store::Delivery& delivery) {
      return cloudwatch::tell_function(platform, delivery);
    });
    mappings.guard_with(&mapping_rights);
    engine::add_failure_sender(deliveries, platform, platform.usage);
    engine::add_senders(deliveries, platform, [this](net::HttpCall call) { return http.send(std::move(call)); });
  }

  // What the handlers of timers use goes before them.
  ~Impl() { timers.stop(); }

  store::Store& store;
  engine::SoleOwnership ownership;  // the embedded store has one process
  dynamodb::Service dynamodb;
  kinesis::Service kinesis;
  sqs::Service sqs;
  logs::Service logs;
  std::unique_ptr<store::Blobs> blobs;
  s3::Service s3;
  Backups backups;
  s3::BucketOrigins bucket_origins;
  s3::Websites websites;
  s3::AccessLogs access_logs;
  cloudwatch::Service cloudwatch;
  dynamodb::DynamodbStreamSource table_streams;
  sqs::SqsQueueSource queues;
  engine::FunctionLogs function_logs;
  engine::Workers workers;
  lambda::Service lambda;
  lambda::UrlRequests function_urls;
  kinesis::KinesisStreamSource data_streams;
  lambda::EventSourceMappings event_source_mappings;
  net::HttpClient http;
  sns::Service sns;
  events::Service events;
  scheduler::Service scheduler;
  pipes::Service pipes;
  engine::Invokers invokers;
  healthlake::Service healthlake;
  states::Service states;
  ecr::Service ecr;
  iam::Service iam;
  kms::Service kms;
  secretsmanager::Service secretsmanager;
  sts::Service sts;
  ssm::Service ssm;
  cloudformation::Service cloudformation;
  dynamodb::TableTransfers table_transfers;
  engine::TimerService timers;
  dynamodb::KinesisForwarder kinesis_forwarder;
  engine::Deliveries deliveries;
  engine::MappingRights mapping_rights;
  engine::Mappings mappings;
  engine::Replayer replayer;
  base::Scope tasks;
};

Services::Services(wire::Platform& platform, net::Loop& engine_loop, const ServicesOptions& options) {
  const base::Executor::Enter enter(engine_loop);
  impl_ = std::make_unique<Impl>(platform, engine_loop, options);
}

Services::~Services() = default;

namespace {

// The certificate by which messages of topics are checked.
Task<net::Response> give_certificate(sns::Service& sns, net::Request& request) {
  net::Response response;
  std::optional<std::string> certificate;
  if (request.method == "GET") certificate = co_await sns.certificate(request.target);
  response.status = certificate ? 200 : 404;
  response.headers.add("content-type", certificate ? "application/x-pem-file" : "text/plain");
  response.body = certificate.value_or("no such certificate\n");
  co_return response;
}

}  // namespace

std::vector<wire::OwnPath> Services::own_paths() {
  return {{std::string(sns::kCertificatePathStart), true,
            [this](net::Request& request) { return give_certificate(impl_->sns, request); }, true},
           {std::string(cloudformation::kAnswersPath), true,
            [this](net::Request& request) { return cloudformation::take_answer(impl_->store, request); }, true}};
}

std::map<std::string, uint64_t> Services::ran() const {
  std::map<std::string, uint64_t> counts = impl_->timers.ran();
  counts["mapping"] = impl_->invokers.calls_of("lambda");
  counts["pipe"] = impl_->invokers.calls_of("pipes");
  return counts;
}

wire::FunctionUrls& Services::function_urls() { return impl_->function_urls; }

wire::Websites& Services::websites() { return impl_->websites; }

wire::AccessLog& Services::access_log() { return impl_->access_logs; }

wire::BucketOrigins& Services::bucket_origins() { return impl_->bucket_origins; }

Task<net::Response> Services::replay(net::Request& request) { return answer_replay(impl_->replayer, request); }
Task<net::Response> Services::backoff(net::Request& request) { return answer_backoff(impl_->sns, request); }

void Services::wind_down() {
  impl_->workers.refuse_more();
  impl_->sqs.long_polls().end_all();
  impl_->backups.cut_short();
  impl_->states.polls().end_all();
}

size_t Services::invocations_under_way() const { return impl_->workers.under_way(); }

Task<net::Response> Services::back_up(net::Request& request) { return impl_->backups.answer(request); }

void Services::know_root(std::string access_key_id) { impl_->sts.know_root(std::move(access_key_id)); }

Task<void> Services::start() {
  co_await impl_->lambda.start();
  co_await impl_->kms.start();
  co_await impl_->states.start();
  impl_->timers.start();
  impl_->kinesis_forwarder.start();
  impl_->mappings.start();
  impl_->tasks.spawn(impl_->blobs->remove_orphans(impl_->store));
}

}  // namespace tidemill
