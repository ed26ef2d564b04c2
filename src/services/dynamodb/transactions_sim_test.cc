// Seeds drive transfers between accounts through conflicts, slow commits and crashes. Whatever happens: no money comes
// or goes, what was acknowledged is there, and a token moves money once however often it is used.
#include <random>

#include "services/dynamodb/testing.h"

namespace tidemill::dynamodb {
namespace {

using testing::World;

constexpr int kAccounts = 5;
constexpr int64_t kBalance = 100;

std::string account_key(int account) { return R"({"k":{"S":"account-)" + std::to_string(account) + R"("}})"; }

class Bank {
 public:
  explicit Bank(uint64_t seed) : world_(seed, store::SimFaults{}), random_(seed) {
    world_.create_table("Tab");
    for (int account = 0; account < kAccounts; ++account) {
      world_.put(R"({"k":{"S":"account-)" + std::to_string(account) + R"("},"n":{"N":")" + std::to_string(kBalance) + R"("}})");
    }
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      random_() % 4 == 0 ? read() : transfer();
      for (int i = static_cast<int>(random_() % 20); i > 0; --i) world_.executor.run_one();
      if (random_() % 25 == 0) crash();
    }
    world_.settle();
    collect();
  }

  void check() {
    // Every transfer that was ever sent is sent once more: those that happened must not happen again.
    for (const auto& [token, transfer] : transfers_) EXPECT_EQ(world_.run("TransactWriteItems", transfer.body), "{}");
    std::map<int, int64_t> expected;
    for (int account = 0; account < kAccounts; ++account) expected[account] = kBalance;
    for (const auto& [token, transfer] : transfers_) {
      expected[transfer.from] -= transfer.amount;
      expected[transfer.to] += transfer.amount;
    }
    for (int account = 0; account < kAccounts; ++account) {
      const auto answer = world_.ask("GetItem", R"({"TableName":"Tab","Key":)" + account_key(account) + "}");
      EXPECT_EQ(answer.find("Item")->find("n")->find("N")->string(), std::to_string(expected[account]));
    }
    EXPECT_GT(acknowledged_, 20) << "the simulation does next to nothing";
    EXPECT_GT(reads_, 10);
    EXPECT_GT(twice_, 10);
  }

 private:
  struct Transfer {
    int from = 0;
    int to = 0;
    int64_t amount = 0;
    std::string body;
  };

  // Moves money, and notes the transfer in an item of its own; or does again what was sent before.
  void transfer() {
    if (!transfers_.empty() && random_() % 3 == 0) {
      const auto again = std::next(transfers_.begin(), static_cast<ptrdiff_t>(random_() % transfers_.size()));
      ++twice_;
      pending_.push_back(world_.start("TransactWriteItems", again->second.body));
      return;
    }
    const int from = static_cast<int>(random_() % kAccounts);
    const int to = (from + 1 + static_cast<int>(random_() % (kAccounts - 1))) % kAccounts;
    const int64_t amount = static_cast<int64_t>(random_() % 10) + 1;
    const std::string token = "token-" + std::to_string(transfers_.size());
    const auto add = [](int account, int64_t by) {
      return R"({"Update":{"TableName":"Tab","Key":)" + account_key(account) +
             R"(,"UpdateExpression":"ADD n :by","ExpressionAttributeValues":{":by":{"N":")" + std::to_string(by) + R"("}}}})";
    };
    const std::string note = R"({"Put":{"TableName":"Tab","Item":{"k":{"S":")" + token +
                             R"-("}},"ConditionExpression":"attribute_not_exists(k)"}})-";
    const std::string body = R"({"ClientRequestToken":")" + token + R"(","TransactItems":[)" + add(from, -amount) + "," +
                             note + "," + add(to, amount) + "]}";
    pending_.push_back(world_.start("TransactWriteItems", body));
    transfers_[token] = {from, to, amount, body};
  }

  void read() {
    std::string gets;
    for (int account = 0; account < kAccounts; ++account) {
      gets += (account ? "," : "") + (R"({"Get":{"TableName":"Tab","Key":)" + account_key(account) + "}}");
    }
    sums_.push_back(world_.start("TransactGetItems", R"({"TransactItems":[)" + gets + "]}"));
  }

  void collect() {
    for (const auto& request : pending_) {
      if (!request->done) continue;
      EXPECT_EQ(request->answer, "{}");
      ++acknowledged_;
    }
    pending_.clear();
    for (const auto& request : sums_) {
      if (!request->done) continue;
      ++reads_;
      int64_t sum = 0;
      const auto answer = json::parse(request->answer);
      for (const json::Value& response : answer->find("Responses")->array()) {
        sum += std::stoll(std::string(response.find("Item")->find("n")->find("N")->string()));
      }
      EXPECT_EQ(sum, kAccounts * kBalance) << "a reader saw half a transfer";
    }
    sums_.clear();
  }

  void crash() {
    collect();
    world_.crash();
  }

  World world_;
  std::mt19937_64 random_;
  std::map<std::string, Transfer> transfers_;
  std::vector<std::shared_ptr<World::Request>> pending_;
  std::vector<std::shared_ptr<World::Request>> sums_;
  int acknowledged_ = 0;
  int reads_ = 0;
  int twice_ = 0;
};

TEST(TransactionSimulation, MoneyIsNeitherMadeNorLostThroughCrashesAndConflicts) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Bank bank(seed);
    bank.run(200);
    bank.check();
  }
}

// A table that changes while a transaction is under way has it bind anew: what it did so far must be undone.
TEST(TransactionSimulation, ATableThatChangesMeanwhileDoesNotSplitATransaction) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed, store::SimFaults());
    std::mt19937_64 random(seed);
    for (const char* table : {"Tab", "Tac"}) world.create_table(table);
    const auto add = [](std::string_view table) {
      return R"({"Update":{"TableName":")" + std::string(table) +
             R"(","Key":{"k":{"S":"a"}},"UpdateExpression":"ADD n :one","ExpressionAttributeValues":{":one":{"N":"1"}}}})";
    };
    const std::string both = R"({"TransactItems":[)" + add("Tab") + "," + add("Tac") + "]}";
    std::vector<std::shared_ptr<World::Request>> requests;
    for (int i = 0; i < 40; ++i) {
      requests.push_back(world.start("TransactWriteItems", both));
      const bool on = random() % 2 == 0;
      world.start("UpdateTable", std::string(R"({"TableName":"Tac","DeletionProtectionEnabled":)") + (on ? "true}" : "false}"));
      for (int steps = static_cast<int>(random() % 20); steps > 0; --steps) world.executor.run_one();
    }
    world.settle();
    for (const auto& request : requests) EXPECT_EQ(request->answer, "{}");
    for (const char* table : {"Tab", "Tac"}) {
      EXPECT_EQ(world.run("GetItem", R"({"TableName":")" + std::string(table) + R"(","Key":{"k":{"S":"a"}}})"),
                R"({"Item":{"k":{"S":"a"},"n":{"N":"40"}}})");
    }
  }
}

}  // namespace
}  // namespace tidemill::dynamodb
