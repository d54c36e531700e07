#include "server/server.h"

#include "server/server_run.h"

namespace pileus {

Server::Server(ServerSettings settings, Endpoint& endpoint, MakeExecutors make_executors, FileSystem& files,
               FileFormat& format)
    : run_(std::make_unique<Run>(std::move(settings), endpoint, std::move(make_executors), files, format)) {}
Server::~Server() = default;
bool Server::poll() { return run_->poll(); }
bool Server::is_finished() const { return run_->end().is_finished(); }
bool Server::is_working() const { return run_->is_working(); }
bool Server::is_watching() const { return run_->is_watching(); }
bool Server::was_refused() const { return run_->end().was_refused(); }
std::string Server::errors() const { return run_->errors(); }
std::string Server::report() const { return run_->report(); }
const RunReport& Server::figures() const { return run_->end().report(); }

}  // namespace pileus
