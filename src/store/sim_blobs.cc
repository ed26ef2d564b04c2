#include "store/sim_blobs.h"

#include "base/executor.h"

namespace tidemill::store {
namespace {

class SimBlobWriter final : public BlobWriter {
 public:
  SimBlobWriter(SimBlobDisk& disk, BlobId id, PieceObserver observe)
      : disk_(disk), life_(disk.life), id_(std::move(id)), observe_(std::move(observe)) {
    disk_.files[id_.bytes];
  }
  ~SimBlobWriter() override {
    if (!id_.bytes.empty() && disk_.life == life_) disk_.files.erase(id_.bytes);
  }

  Task<void> write(std::string piece) override {
    co_await base::yield();
    if (observe_) observe_(piece);
    disk_.files[id_.bytes].bytes += piece;
  }
  Task<void> finish() override {
    co_await base::yield();
    disk_.files[id_.bytes].synced = true;
    co_await base::yield();
  }
  BlobId hand_over() override { return {std::exchange(id_.bytes, "")}; }

 private:
  SimBlobDisk& disk_;
  const uint64_t life_;
  BlobId id_;
  PieceObserver observe_;
};

class SimBlobs final : public Blobs {
 public:
  explicit SimBlobs(SimBlobDisk& disk) : disk_(disk), life_(disk.life) {}

  Task<std::unique_ptr<BlobWriter>> create(PieceObserver observe) override {
    co_await base::yield();
    co_return std::make_unique<SimBlobWriter>(disk_, new_id(), std::move(observe));
  }
  Task<std::string> read(BlobId id, uint64_t offset, size_t size) override {
    co_await base::yield();
    const auto found = disk_.files.find(id.bytes);
    if (found == disk_.files.end()) throw BlobError("cannot open a file: there is none");
    co_return offset < found->second.bytes.size() ? found->second.bytes.substr(offset, size) : "";
  }
  Task<void> require(std::vector<BlobExtent> extents) override {
    co_await base::yield();
    for (const BlobExtent& extent : extents) {
      const auto found = disk_.files.find(extent.id.bytes);
      if (found == disk_.files.end() || found->second.bytes.size() < extent.bytes) throw BlobError("a blob is damaged");
    }
  }
  Task<void> run_aside(std::function<void()> work) override {
    co_await base::yield();
    work();
  }

 protected:
  void remove_now(BlobId id) override {
    if (disk_.life == life_) disk_.files.erase(id.bytes);
  }
  Task<std::vector<BlobId>> list(uint8_t shard) override {
    std::vector<BlobId> ids;
    for (const auto& [id, file] : disk_.files) {
      if (static_cast<uint8_t>(id[0]) == shard) ids.push_back({id});
    }
    return Task<std::vector<BlobId>>::ready(std::move(ids));
  }

 private:
  SimBlobDisk& disk_;
  const uint64_t life_;
};

}  // namespace

void SimBlobDisk::crash(std::mt19937_64& random) {
  ++life;
  for (auto at = files.begin(); at != files.end();) {
    File& file = at->second;
    if (!file.synced && random() % 3 == 0) {
      at = files.erase(at);
      continue;
    }
    if (!file.synced) file.bytes.resize(random() % (file.bytes.size() + 1));
    ++at;
  }
}

std::unique_ptr<Blobs> make_sim_blobs(SimBlobDisk& disk) { return std::make_unique<SimBlobs>(disk); }

}  // namespace tidemill::store
