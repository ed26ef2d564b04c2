"""Functions in Ruby and Java, as far as clients see them. What their runtimes do stands in src/engine/workers/workers_ruby_test.cc
and workers_java_test.cc."""
import pathlib
import subprocess

import pytest

from harness import eventually, zip_of

INTERFACES = pathlib.Path(__file__).resolve().parent.parent / "runtimes/java/src"

RUBY = """
def handler(event:, context:)
  puts "sold #{event['what']}"
  raise ArgumentError, "no coffee" if event["what"] == "coffee"
  { sold: event["what"], by: context.function_name }
end
"""

JAVA = """
package shop;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import java.util.Map;

public class Sale implements RequestHandler<Map<String, String>, Map<String, String>> {
  @Override
  public Map<String, String> handleRequest(Map<String, String> event, Context context) {
    System.out.println("sold " + event.get("what"));
    if (event.get("what").equals("coffee")) throw new IllegalArgumentException("no coffee");
    return Map.of("sold", event.get("what"), "by", context.getFunctionName());
  }
}
"""


def java_package(directory):
    source = directory / "shop/Sale.java"
    source.parent.mkdir(parents=True)
    source.write_text(JAVA)
    subprocess.run(["javac", "--release", "11", "-sourcepath", f"{INTERFACES}:{directory}", "-d", directory / "classes", source],
                   check=True)
    classes = directory / "classes"
    return {str(each.relative_to(classes)): each.read_bytes() for each in classes.rglob("*.class")}


@pytest.fixture(params=["ruby", "java"])
def function(request, cloud, tmp_path):
    if request.param == "ruby":
        return cloud.create_function(None, files={"app.rb": RUBY}, runtime="ruby3.3", Timeout=30), "Function<ArgumentError>"
    name = cloud.create_function(None, files=java_package(tmp_path), runtime="java17", handler="shop.Sale", Timeout=60,
                                 MemorySize=512)
    return name, "java.lang.IllegalArgumentException"


def test_a_function_answers_fails_and_logs(cloud, function):
    name, error_type = function
    assert cloud.invoke(name, {"what": "tea"})[1] == {"sold": "tea", "by": name}
    answer, document = cloud.invoke(name, {"what": "coffee"})
    assert answer["FunctionError"] == "Unhandled"
    assert (document["errorType"], document["errorMessage"]) == (error_type, "no coffee")
    assert document["stackTrace"]
    assert cloud.invoke(name, {"what": "cups"})[1]["sold"] == "cups"  # the process lives on
    logs = cloud.client("logs")

    def printed():
        found = logs.filter_log_events(logGroupName=f"/aws/lambda/{name}", filterPattern="sold")["events"]
        return [each["message"].strip() for each in found] == ["sold tea", "sold coffee", "sold cups"]
    eventually(printed, "what the function printed is in its log")
