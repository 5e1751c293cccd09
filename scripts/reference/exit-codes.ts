import {type ExitReason, exit} from "../../shared/exit.ts"
import {page, table} from "./markdown.ts"

const meanings: Readonly<Record<ExitReason, string>> = {
  ok: "Done; for the Host: ended in order after SIGTERM or SIGINT. `doctor --live`: ready.",
  failed:
    "Failed, with the reason on stderr. A start in production first waits 25 s for what may pass, such as a port that is taken; for a full disk it waits without end. `doctor`: at least one error. `doctor --live`: not ready, token refused, or no answer. `runtime start --once`: it would not start.",
  consoleRestart: "The Host ended in order because a restart was requested (`svc runtime restart`).",
  unasked:
    "The process ended though nobody had asked for it, such as by `process.exit()` in a plugin; the last line of the log names the plugin. Every supervisor starts the Host again. A plugin that exits while it is loaded or set up does not load (`plugin_invalid`).",
  runtimeRestart:
    "The Host ended in order because the runtime needs a restart: a reload in production found changed code, a changed lockfile or a changed fixed key, another Host took the lease of the remote database, or somebody removed the lock of the project.",
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
    "51 and 75 ask the supervisor for another start; exactly one supervisor should do so. The Host takes the same orderly way out for 0, 51 and 75, in ten seconds at most.",
    table(
      ["Code", "When"],
      [
        ...codes.map(([reason, number]) => [String(number), meanings[reason]]),
        ["130, 143", "A second SIGINT or SIGTERM, more than a second after the first, ended the Host at once."],
      ],
    ),
  )
