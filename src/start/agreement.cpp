#include "start/agreement.h"

#include "core/error_text.h"

namespace pileus {

ErrorKind kind_of_current_exception(std::string& text) {
  const auto keep = [&text](const std::exception& error, ErrorKind kind) {
    text = error.what();
    return kind;
  };
  try {
    throw;
  } catch (const UsageError& error) {
    return keep(error, ErrorKind::usage);
  } catch (const ConfigError& error) {
    return keep(error, ErrorKind::config);
  } catch (const OutputError& error) {
    return keep(error, ErrorKind::output);
  } catch (const TransportError& error) {
    return keep(error, ErrorKind::transport);
  } catch (const PluginError& error) {
    return keep(error, ErrorKind::plugin);
  } catch (...) {
    text = text_of_current_exception();
    return ErrorKind::other;
  }
}

void throw_error(ErrorKind kind, const std::string& text) {
  switch (kind) {
    case ErrorKind::usage: throw UsageError(text);
    case ErrorKind::config: throw RefusedError(text);
    case ErrorKind::output: throw OutputError(text);
    case ErrorKind::transport: throw TransportError(text);
    case ErrorKind::plugin: throw PluginError(text);
    default: throw Error(text);
  }
}

}  // namespace pileus
