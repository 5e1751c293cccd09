import {type ExitReason, exit} from "../../shared/exit.ts"
import {page, table} from "./markdown.ts"

const meanings: Readonly<Record<ExitReason, string>> = {
  ok: "Success. For the Host: a graceful shutdown after SIGTERM or SIGINT. `doctor --live`: ready.",
  failed:
    "Failure, with the reason on stderr. A start in production first waits 25 s for a temporary problem to pass, such as a port in use; for a full disk it waits without limit. `doctor`: at least one error. `doctor --live`: not ready, token refused, or no answer. `runtime start --once`: it would not start.",
  consoleRestart: "The Host shut down gracefully because an operator requested a restart (`svc runtime restart`).",
  unasked:
    "The process exited without a request, for example by `process.exit()` in a plugin; the last log line names the plugin. Every supervisor restarts the Host. A plugin that exits during loading or setup is not loaded (`plugin_invalid`).",
  runtimeRestart:
    "The Host shut down gracefully because a change needs a restart: a reload in production found changed code, a changed lockfile or a changed fixed key, another Host took over the remote database, that database did not answer for 15 s, or the lock of the project was removed.",
}

const codes: readonly (readonly [ExitReason, number])[] = [
  ["ok", exit.ok],
  ["failed", exit.failed],
  ["consoleRestart", exit.consoleRestart],
  ["unasked", exit.unasked],
  ["runtimeRestart", exit.runtimeRestart],
]

export const exitCodesPage = (): string =>
  page(
    "Exit codes",
    "51 and 75 ask the supervisor for another start; exactly one supervisor must restart the Host. For 0, 51 and 75 the Host shuts down in the same way, within ten seconds.",
    table(
      ["Code", "When"],
      [
        ...codes.map(([reason, number]) => [String(number), meanings[reason]]),
        ["130, 143", "A second SIGINT or SIGTERM, more than a second after the first, ended the Host at once."],
      ],
    ),
  )
