#include "engine/workers/worker_environment.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/wants.h"
#include "engine/workers/worker_leftovers.h"

namespace tidemill::engine {
namespace {

// AWS gives 1,024.
constexpr uint64_t kOpenFilesMax = 1024;
constexpr std::string_view kSandboxSdk = "/var/sdk";  // what the link beside the code leads into (sandbox.cc)
constexpr int kProcessesMax = 1024;  // AWS's limit of processes and threads together
// Microseconds since 1970; our bootstraps take it away and set their language's clock (runtimes/README.md).
constexpr std::string_view kTimeVariable = "_TIDEMILL_TIME_US";
// Where the layers are; our bootstraps take it away as well.
constexpr std::string_view kOptVariable = "_TIDEMILL_OPT";
constexpr const char* kOpt = "/opt";
constexpr std::string_view kBelowOpt = "/opt/";
constexpr int kJavaHeapPercent = 70;  // of a function's memory; the rest is for classes, threads and code
// Where the server is, whatever a function says that it is; our bootstraps take it away.
constexpr std::string_view kEndpointVariable = "_TIDEMILL_ENDPOINT";
// Where AWS has the interpreters, as PATH begins.
constexpr std::string_view kLanguagePrograms = "/var/lang/bin:";
// Where the AWS SDK for JavaScript is; empty: nowhere.
constexpr std::string_view kNodeModulesVariable = "_TIDEMILL_NODE_MODULES";

// Where the function finds its layers.
struct Opt {
  std::string path = kOpt;
  bool is_mounted = false;  // it is what the function alone sees at /opt
};

// Whether a path leads below /opt, which a mount would hide.
bool is_below_opt(const std::filesystem::path& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  return (error ? path : real).string().starts_with(kBelowOpt);
}

Opt opt_of(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place) {
  if (spec.layers.empty() || place.sandbox) return {};
  const bool hides = is_below_opt(spec.code) || is_below_opt(place.temporary) || is_below_opt(launch.bootstrap) ||
                     (launch.interpreter && is_below_opt(launch.interpreter->path));
  if (launch.may_mount && !hides) return {kOpt, true};
  return {spec.layers.string(), false};
}

// By which names AWS has the interpreter: also by the version that was asked for where another runs.
std::vector<std::string> programs_of(const Launch& launch) {
  switch (launch.name.language) {
    case Language::python: {
      std::vector<std::string> names{"python", "python3", base::cat("python3.", launch.interpreter->minor)};
      if (!launch.name.is(*launch.interpreter)) names.push_back(base::cat("python3.", launch.name.minor));
      return names;
    }
    case Language::nodejs: return {"node"};
    case Language::ruby: return {"ruby"};
    case Language::java: return {"java"};
    case Language::provided: return {};
  }
  return {};
}

// What scripts of layers begin with: "#!/var/lang/bin/python3".
std::vector<net::Link> program_links(const Launch& launch) {
  std::vector<net::Link> links;
  for (const std::string& name : programs_of(launch)) {
    links.push_back({base::cat("lang/bin/", name), launch.interpreter->path.string()});
  }
  return links;
}

// Outside of a sandbox, where layers stand in /opt: what else AWS has at one place.
std::vector<net::Link> var_links(const FunctionSpec& spec, const Launch& launch) {
  std::vector<net::Link> links = program_links(launch);
  links.push_back({"task", spec.code.string()});
  links.push_back({"runtime", launch.supervisor.parent_path().string()});
  return links;
}

// In their order on AWS: what is of this version before what is of any.
std::string node_path(const Launch& launch, const std::string& root, const std::string& opt) {
  std::string path = base::cat(root, "/node_modules:", opt, "/nodejs/node", launch.name.major, "/node_modules:", opt,
                               "/nodejs/node_modules");
  if (!launch.node_modules.empty()) path += base::cat(":", launch.node_modules.string());
  return path;
}

// Gems are those of the package and its layers, by the version that was asked for and by the one that runs; the host's own
// are none of the function's.
void add_ruby(const Launch& launch, const std::string& root, const std::string& opt, const WorkerPlace& place,
              std::map<std::string, std::string>& result) {
  const auto gems = [&](int major, int minor) {
    const std::string version = base::cat(major, ".", minor, ".0");
    return base::cat(root, "/vendor/bundle/ruby/", version, ":", opt, "/ruby/gems/", version);
  };
  result["GEM_HOME"] = place.temporary.string();
  result["GEM_PATH"] = gems(launch.name.major, launch.name.minor);
  if (!launch.name.is(*launch.interpreter)) {
    result["GEM_PATH"] += base::cat(":", gems(launch.interpreter->major, launch.interpreter->minor));
  }
  result["RUBYLIB"] = base::cat(root, ":", opt, "/ruby/lib");
}

constexpr const char* kNodeAuthorities = "NODE_EXTRA_CA_CERTS";

// Where programs look for whom they trust: OpenSSL and what stands on it, the SDKs, Python's requests; Node.js adds to what it
// knows itself, and is told in another way where it is the function's own (add_node).
void add_authorities(const Launch& launch, std::map<std::string, std::string>& result) {
  const std::filesystem::path directory = launch.supervisor.parent_path();
  for (const char* name : {"SSL_CERT_FILE", "AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"}) result[name] = directory / kAuthorities;
  if (launch.name.language != Language::nodejs) result[kNodeAuthorities] = directory / kAuthority;
}

void add_node(const FunctionSpec& spec, const Launch& launch, std::vector<std::string>& result) {
  // The heap stays below the function's memory, as on AWS, so that node collects before it is killed.
  result.push_back(base::cat("--max-old-space-size=", spec.memory_mb * 9 / 10));
  if (!launch.has_authorities || spec.environment.contains(kNodeAuthorities)) return;
  result.emplace_back("--require");
  result.push_back((launch.bootstrap.parent_path() / "trust.cjs").string());
}

std::map<std::string, std::string> environment(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place,
                                               const Opt& layers) {
  const std::string root = spec.code.string();
  const std::string& opt = layers.path;
  const bool has_programs = launch.interpreter && (layers.is_mounted || place.sandbox);
  // What a function may choose itself.
  std::map<std::string, std::string> result{
      {"LANG", "en_US.UTF-8"},
      {"TZ", ":UTC"},
      {"PATH", base::cat(has_programs ? kLanguagePrograms : "", "/usr/local/bin:/usr/bin:/bin:", opt, "/bin")},
      {"LD_LIBRARY_PATH", base::cat(root, ":", root, "/lib:", opt, "/lib")},
      {"NODE_PATH", node_path(launch, root, opt)},
      {"TMPDIR", place.temporary.string()},
      {"HOME", place.temporary.string()},
      {"AWS_ENDPOINT_URL", place.endpoint},
      {"AWS_LAMBDA_LOG_FORMAT", spec.logging.is_json ? "JSON" : "Text"},
  };
  if (spec.logging.is_json) result["AWS_LAMBDA_LOG_LEVEL"] = spec.logging.application_level;
  if (launch.name.language == Language::ruby) add_ruby(launch, root, opt, place, result);
  if (launch.has_authorities) add_authorities(launch, result);
  for (const auto& [name, value] : spec.environment) result[name] = value;

  // What it may not (services/lambda refuses these names).
  result[std::string(kOptVariable)] = opt;
  if (launch.name.language == Language::nodejs) result[std::string(kNodeModulesVariable)] = launch.node_modules.string();
  if (launch.name.language == Language::nodejs || launch.name.language == Language::python) {
    result[std::string(kEndpointVariable)] = place.endpoint;
  }
  result["_HANDLER"] = spec.handler;
  result["LAMBDA_TASK_ROOT"] = root;
  result["LAMBDA_RUNTIME_DIR"] = launch.interpreter ? launch.bootstrap.parent_path().string() : root;
  result["AWS_LAMBDA_RUNTIME_API"] = base::cat("127.0.0.1:", place.port);
  result["AWS_LAMBDA_FUNCTION_NAME"] = spec.name;
  result["AWS_LAMBDA_FUNCTION_VERSION"] = spec.version;
  result["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] = std::to_string(spec.memory_mb);
  result["AWS_LAMBDA_LOG_GROUP_NAME"] = spec.log_group;
  result["AWS_LAMBDA_LOG_STREAM_NAME"] = place.log_stream;
  result["AWS_LAMBDA_INITIALIZATION_TYPE"] = std::string(initialization_type(place.is_provisioned));
  if (place.time) result[std::string(kTimeVariable)] = std::to_string(place.time->time_since_epoch().count());
  result["AWS_REGION"] = spec.region;
  result["AWS_DEFAULT_REGION"] = spec.region;
  // An access key id of 12 digits is the account that a call belongs to.
  const FunctionCredentials credentials =
      place.credentials.value_or(FunctionCredentials{spec.account, "tidemill", "tidemill"});
  result["AWS_ACCESS_KEY_ID"] = credentials.access_key_id;
  result["AWS_SECRET_ACCESS_KEY"] = credentials.secret;
  result["AWS_SESSION_TOKEN"] = credentials.token;
  if (launch.interpreter) result["AWS_EXECUTION_ENV"] = "AWS_Lambda_" + spec.runtime;
  return result;
}

// Whether the package, or a layer, brings AWS's own client of the runtime API for Java. Throws std::system_error if
// that cannot be found out for want of descriptors.
bool has_runtime_client(const std::filesystem::path& directory, std::string_view libraries) {
  std::error_code error;
  if (std::filesystem::exists(directory / "com/amazonaws/services/lambda/runtime/api/client/AWSLambda.class", error)) {
    return true;
  }
  std::filesystem::directory_iterator entries(directory / libraries, error);
  base::throw_if_wanting(error, "cannot list", directory / libraries);
  for (const auto& entry : entries) {
    if (entry.path().filename().string().starts_with("aws-lambda-java-runtime-interface-client")) return true;
  }
  return false;
}

// What a function says in these variables, to every Java or to the program `java`, would have to give way to the
// command line.
bool chooses_java_authorities(const FunctionSpec& spec) {
  return std::ranges::any_of(std::array{"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"}, [&](const char* name) {
    const auto options = spec.environment.find(name);
    return options != spec.environment.end() && options->second.contains("javax.net.ssl.trustStore");
  });
}

struct JavaStart {
  bool has_client = false;  // the package's own, which runs in our bootstrap's place
  bool by_script = true;    // in a sandbox that script runs outside, before
};

// By way of the script that compiles our bootstrap first, if need be. The heap and what is beside it stay below the
// function's memory, and the quick compiler alone starts sooner, as on AWS.
void add_java(const FunctionSpec& spec, const Launch& launch, const Opt& opt, const JavaStart& start,
              std::vector<std::string>& result) {
  const std::string root = spec.code.string();
  if (start.by_script) result.push_back(launch.bootstrap.string());
  result.push_back(command_of(spec, launch));
  for (const char* option : {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto"}) {
    result.emplace_back(option);
  }
  result.push_back(base::cat("-Xmx", spec.memory_mb * kJavaHeapPercent / 100, "m"));
  if (launch.has_java_authorities && !chooses_java_authorities(spec)) {
    const std::filesystem::path store = launch.supervisor.parent_path() / kJavaAuthorities;
    result.push_back(base::cat("-Djavax.net.ssl.trustStore=", store.string()));
    result.emplace_back("-Djavax.net.ssl.trustStoreType=JKS");
  }
  result.emplace_back("-cp");
  result.push_back(base::cat(root, ":", root, "/lib/*:", opt.path, "/java/lib/*:",
                             (launch.bootstrap.parent_path() / "classes").string()));
  if (start.has_client) {
    result.emplace_back("com.amazonaws.services.lambda.runtime.api.client.AWSLambda");
    result.push_back(spec.handler);
  } else {
    result.emplace_back("tidemill.runtime.Bootstrap");
  }
}

// What compiles our bootstrap for Java first, if need be, and then becomes what follows.
std::vector<std::string> java_starter(const FunctionSpec& spec, const Launch& launch) {
  if (launch.name.language != Language::java) return {};
  return {launch.bootstrap.string(), "--for", command_of(spec, launch)};
}

std::vector<std::string> command(const FunctionSpec& spec, const Launch& launch, const Opt& opt, const JavaStart& java) {
  std::vector<std::string> result;
  if (const std::string wrapper = wrapper_of(spec, launch); !wrapper.empty()) {
    // What is to stand at /opt is elsewhere where it cannot be mounted there.
    const bool is_elsewhere = opt.path != kOpt && wrapper.starts_with(kBelowOpt);
    result.push_back(is_elsewhere ? base::cat(opt.path, "/", wrapper.substr(kBelowOpt.size())) : wrapper);
  }
  if (launch.name.language == Language::java) {
    add_java(spec, launch, opt, java, result);
    return result;
  }
  result.push_back(command_of(spec, launch));
  if (!launch.interpreter) return result;
  if (launch.name.language == Language::python) result.push_back("-S");  // the bootstrap says what is found
  if (launch.name.language == Language::nodejs) add_node(spec, launch, result);
  result.push_back(launch.bootstrap.string());
  return result;
}

}  // namespace

std::string wrapper_of(const FunctionSpec& spec, const Launch& launch) {
  const auto found = spec.environment.find("AWS_LAMBDA_EXEC_WRAPPER");
  return found == spec.environment.end() || !launch.interpreter ? "" : found->second;
}

std::string_view initialization_type(bool is_provisioned) {
  return is_provisioned ? "provisioned-concurrency" : "on-demand";
}

std::string command_of(const FunctionSpec& spec, const Launch& launch) {
  return launch.interpreter ? launch.interpreter->path.string() : (spec.code / "bootstrap").string();
}

namespace {

// What is the function's as it finds it itself.
struct Inside {
  FunctionSpec spec;
  Launch launch;
  WorkerPlace place;
};

// A path below one directory as it is below another.
std::filesystem::path moved(const std::filesystem::path& path, const std::filesystem::path& from, std::string_view to) {
  return std::filesystem::path(to) / path.lexically_relative(from);
}

Inside inside_of(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place) {
  Inside result{spec, launch, place};
  result.spec.code = kSandboxCode;
  if (!spec.layers.empty()) result.spec.layers = kOpt;
  const std::filesystem::path runtimes = launch.supervisor.parent_path();
  if (!launch.bootstrap.empty()) result.launch.bootstrap = moved(launch.bootstrap, runtimes, kSandboxRuntimes);
  result.launch.supervisor = moved(launch.supervisor, runtimes, kSandboxRuntimes);
  if (!launch.node_modules.empty()) result.launch.node_modules = base::cat(kSandboxSdk, kSandboxNodeModules);
  if (launch.interpreter && Sandbox::home_of(launch.interpreter->path)) {
    std::error_code none;  // links elsewhere lead nowhere inside
    result.launch.interpreter->path = std::filesystem::weakly_canonical(launch.interpreter->path, none);
  }
  result.place.temporary = kSandboxTemporary;
  if (!place.sandbox->has_network()) {
    result.place.endpoint = base::cat("http://127.0.0.1", place.endpoint.substr(place.endpoint.rfind(':')));
  }
  return result;
}

// What processes share is of their memory.
uint64_t shared_memory_bytes(const FunctionSpec& spec) { return static_cast<uint64_t>(spec.memory_mb) << 20; }

// "127.0.0.1:4566" of "http://127.0.0.1:4566".
std::string authority_of(std::string_view endpoint) {
  const size_t scheme = endpoint.find("://");
  return std::string(scheme == std::string_view::npos ? endpoint : endpoint.substr(scheme + 3));
}

// Without a network its runtime API and the server are all that is reached; their ports.
std::string add_doors(const WorkerPlace& place, net::ProcessSpec& process) {
  if (place.sandbox->has_network()) return "";
  const std::string server = authority_of(place.endpoint);
  process.doors = {base::cat("127.0.0.1:", place.port), server};
  return base::cat(place.port, ",", server.substr(server.rfind(':') + 1));
}

// `inside` is the launch as the function finds it.
void add_sandbox(const FunctionSpec& spec, const Launch& launch, const Launch& inside, const WorkerPlace& place,
                 net::ProcessSpec& process) {
  SandboxView view{.code = spec.code, .layers = spec.layers, .runtimes = launch.supervisor.parent_path(),
                   .interpreter = launch.interpreter ? launch.interpreter->path : "", .node_modules = launch.node_modules,
                   .var_links = program_links(inside),
                   .temporary_bytes = process.file_bytes_max, .shared_memory_bytes = shared_memory_bytes(spec)};
  std::vector<std::string> all = java_starter(spec, launch);
  for (std::string& word : place.sandbox->command(view)) all.push_back(std::move(word));
  all.push_back(base::cat(kSandboxRuntimes, "/supervisor"));
  all.emplace_back("--inside");
  all.push_back(std::to_string(kProcessesMax));
  all.push_back(add_doors(place, process));
  for (std::string& word : process.argv) all.push_back(std::move(word));
  process.argv = std::move(all);
  for (std::string& variable : process.environment) variable.insert(0, kInsidePrefix);
  process.is_sandbox = true;
}

}  // namespace

net::ProcessSpec worker_process(const FunctionSpec& spec, const Launch& launch, const WorkerPlace& place) {
  net::ProcessSpec process;
  const Opt opt = opt_of(spec, launch, place);
  JavaStart java{.by_script = place.sandbox == nullptr};
  if (launch.name.language == Language::java) {
    java.has_client = has_runtime_client(spec.code, "lib") ||
                      (!spec.layers.empty() && has_runtime_client(spec.layers, "java/lib"));
  }
  const Inside inside = place.sandbox ? inside_of(spec, launch, place) : Inside{spec, launch, place};
  process.argv = command(inside.spec, inside.launch, opt, java);
  if (opt.is_mounted) {
    process.opt = spec.layers.string();
    process.var_links = var_links(spec, launch);
  }
  for (const auto& [name, value] : environment(inside.spec, inside.launch, inside.place, opt)) {
    process.environment.push_back(name + "=" + value);
  }
  process.working_directory = spec.code.string();
  process.open_files_max = kOpenFilesMax;
  process.file_bytes_max = static_cast<uint64_t>(spec.ephemeral_storage_mb) << 20;
  process.supervisor = launch.supervisor.string();
  if (place.sandbox) add_sandbox(spec, launch, inside.launch, place, process);
  // By which a later server knows what a crashed one has left.
  process.environment.push_back(base::cat(kWorkerVariable, "=", place.temporary.string()));
  return process;
}

}  // namespace tidemill::engine
