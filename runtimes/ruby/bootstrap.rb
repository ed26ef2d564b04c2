# Runs one Ruby function: asks the Lambda Runtime API for invocations and calls the handler with each.
#
# Started by the server as `ruby bootstrap.rb` with the environment that AWS documents for a Lambda runtime
# (AWS_LAMBDA_RUNTIME_API, _HANDLER, LAMBDA_TASK_ROOT, ...). One connection is kept for the life of the process; a reply and
# the request for the next invocation leave together, so that a warm invocation costs one round trip.

require "json"
require "socket"

module TidemillRuntime
  API = "/2018-06-01/runtime"
  LOGS_JSON = ENV["AWS_LAMBDA_LOG_FORMAT"].to_s.upcase == "JSON"

  # The machine's clock, whatever functions are shown.
  def self.machine_ms
    Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)
  end

  # The Runtime API over one kept-alive connection. Bodies of answers always carry their length.
  class Client
    def initialize(address)
      @address = address
      host, _, port = address.rpartition(":")
      @socket = TCPSocket.new(host, port.to_i)
      @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      @next = "GET #{API}/invocation/next HTTP/1.1\r\nHost: #{address}\r\nUser-Agent: tidemill-ruby/#{RUBY_VERSION}\r\n\r\n"
    end

    # Waits for an invocation: header fields by lower-case name, and the payload.
    def next
      @socket.write(@next)
      invocation
    end

    def reply_and_next(request_id, body, error_type = nil)
      path = "#{API}/invocation/#{request_id}/#{error_type ? 'error' : 'response'}"
      @socket.write(post(path, body, error_type) + @next.b)
      answer # a refused reply (too large) is the server's to report
      invocation
    end

    def init_error(body, error_type)
      @socket.write(post("#{API}/init/error", body, error_type))
      answer
    end

    private

    def post(path, body, error_type)
      # A class may have any name.
      plain = error_type&.gsub(/[^\x20-\x7e]/, "?")
      error = plain ? "Lambda-Runtime-Function-Error-Type: #{plain}\r\n" : ""
      head = "POST #{path} HTTP/1.1\r\nHost: #{@address}\r\nContent-Type: application/json\r\n#{error}" \
             "Content-Length: #{body.bytesize}\r\n\r\n"
      head.b + body.b
    end

    def invocation
      status, fields, body = answer
      raise "the runtime API answered #{status}: #{body}" unless status == 200
      [fields, body]
    end

    def answer
      head = @socket.gets("\r\n\r\n")
      exit(0) unless head # the server is gone, and this process with it
      lines = head.split("\r\n")
      fields = lines.drop(1).to_h { |line| line.split(/: */, 2).then { |name, value| [name.downcase, value.to_s.strip] } }
      size = fields.fetch("content-length", "0").to_i
      body = size.positive? ? @socket.read(size) : ""
      exit(0) if body.nil? || body.bytesize < size
      [lines.first.split[1].to_i, fields, body.force_encoding(Encoding::UTF_8)]
    end
  end

  # The handler's argument `context`, with AWS's members.
  class Context
    attr_reader :aws_request_id, :invoked_function_arn, :function_name, :function_version, :memory_limit_in_mb,
                :log_group_name, :log_stream_name, :deadline_ms, :identity, :client_context

    def initialize(fields)
      @aws_request_id = fields["lambda-runtime-aws-request-id"]
      @invoked_function_arn = fields["lambda-runtime-invoked-function-arn"]
      @deadline_ms = fields["lambda-runtime-deadline-ms"].to_i
      @function_name = ENV["AWS_LAMBDA_FUNCTION_NAME"]
      @function_version = ENV["AWS_LAMBDA_FUNCTION_VERSION"]
      @memory_limit_in_mb = ENV["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
      @log_group_name = ENV["AWS_LAMBDA_LOG_GROUP_NAME"]
      @log_stream_name = ENV["AWS_LAMBDA_LOG_STREAM_NAME"]
      given = fields["lambda-runtime-client-context"]
      @client_context = JSON.parse(given) if given
    end

    def get_remaining_time_in_millis
      [@deadline_ms - TidemillRuntime.machine_ms, 0].max
    end
  end

  # Shows the function the platform's time where that is not the machine's: Time.now begins there with each invocation and
  # goes on by as much as has really passed. What measures durations and what waits stay as they are.
  module PlatformTime
    def self.begin(now_us)
      @offset_us = now_us.to_i - Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)
    end

    def self.now_us
      @offset_us + Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)
    end

    def self.install(now_us)
      self.begin(now_us)
      Time.singleton_class.prepend(Module.new do
        def now(**options)
          at(PlatformTime.now_us / 1_000_000, PlatformTime.now_us % 1_000_000, :microsecond, **options)
        end
      end)
    end
  end

  class << self
    # AWS's document; `phase` is Init or Function.
    def document(phase, error)
      own = File.expand_path(__FILE__)
      trace = Array(error.backtrace).reject { |line| line.start_with?(own) }
      { "errorMessage" => message_of(error), "errorType" => "#{phase}<#{error.class}>", "stackTrace" => trace }
    end

    def message_of(error)
      error.message.encode("UTF-8", invalid: :replace, undef: :replace) + missing_advice(error) + other_ruby(error)
    end

    # What may be the reason of code that cannot be loaded.
    def other_ruby(error)
      wanted = ENV["AWS_EXECUTION_ENV"].to_s[/_ruby(.*)/, 1]
      present = RUBY_VERSION[/\d+\.\d+/]
      return "" if !error.is_a?(ScriptError) || wanted.nil? || wanted == present
      " (this host has no Ruby #{wanted}: the function runs on Ruby #{present})"
    end

    def missing_advice(error)
      return "" unless error.is_a?(LoadError) && error.path.to_s.start_with?("aws-sdk")
      " (the AWS SDK for Ruby does not stand beside this server: bring it in vendor/bundle of the function's package or in a layer)"
    end

    def log_error(title, document, request_id)
      if LOGS_JSON
        puts JSON.generate({ "timestamp" => Time.now.utc.strftime("%Y-%m-%dT%H:%M:%SZ"), "level" => "ERROR",
                             "requestId" => request_id, **document })
      else
        puts "#{title} #{JSON.generate(document)}"
      end
    end

    # "file.method" or "file.Module::Class.method": something that takes (event:, context:).
    def load_handler(name)
      file, *rest = name.split(".")
      raise ArgumentError, "Invalid handler #{name}, must be of form FILENAME.METHOD or FILENAME.CLASS.METHOD where " \
                           "FILENAME corresponds with an existing Ruby source file FILENAME.rb, CLASS is an optional " \
                           "module/class namespace and METHOD is a callable method." unless [1, 2].include?(rest.size)
      require File.join(ENV["LAMBDA_TASK_ROOT"], file)
      receiver = rest.size == 2 ? Object.const_get(rest.first) : TOPLEVEL_BINDING.receiver
      method = receiver.method(rest.last)
      ->(event, context) { method.call(event: event, context: context) }
    end

    # One invocation: the answer, and the error's type or nil.
    def run(handler, fields, payload)
      event = JSON.parse(payload.empty? ? "{}" : payload)
      [JSON.generate(handler.call(event, Context.new(fields))), nil]
    rescue SystemExit
      raise
    rescue Exception => error # as AWS's runtime: what the function lets out of it is its own
      document = document("Function", error)
      log_error("Error raised from handler method", document, fields["lambda-runtime-aws-request-id"])
      [JSON.generate(document), document["errorType"]]
    end

    def load_or_report(client)
      load_handler(ENV["_HANDLER"])
    rescue SystemExit
      raise
    rescue Exception => error
      document = document("Init", error)
      log_error("Init error when loading handler #{ENV['_HANDLER']}", document, "")
      client.init_error(JSON.generate(document), document["errorType"])
      exit(1)
    end

    def main
      client = Client.new(ENV["AWS_LAMBDA_RUNTIME_API"])
      now_us = ENV.delete("_TIDEMILL_TIME_US")
      ENV.delete("_TIDEMILL_OPT")
      PlatformTime.install(now_us) if now_us
      $stdout.sync = true # what is printed before a crash or a timeout is not lost
      $stderr.sync = true
      $LOAD_PATH.unshift(ENV["LAMBDA_TASK_ROOT"])
      handler = load_or_report(client)
      fields, payload = client.next
      loop do
        PlatformTime.begin(fields["tidemill-time-us"]) if now_us
        ENV["_X_AMZN_TRACE_ID"] = fields["lambda-runtime-trace-id"] if fields["lambda-runtime-trace-id"]
        body, error_type = run(handler, fields, payload)
        fields, payload = client.reply_and_next(fields["lambda-runtime-aws-request-id"], body, error_type)
      end
    end
  end
end

TidemillRuntime.main
