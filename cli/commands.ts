import type {CommandClass} from "clipanion"

type Load = () => Promise<Record<string, unknown>>

/** The module of the commands of one group. */
const modules: Readonly<Record<string, Load>> = {
  "adapter add": () => import("./adapter/add.ts"),
  "adapter check": () => import("./adapter/check.ts"),
  "adapter record": () => import("./adapter/record.ts"),
  "agent approve cancel check context deny discard hold list mcp release runs": () => import("./agent/agents.ts"),
  "agent chat": () => import("./agent/chat.ts"),
  "agent eval": () => import("./agent/eval.ts"),
  "agent run": () => import("./agent/run.ts"),
  "agent show": () => import("./agent/show.ts"),
  "alert list test": () => import("./alert/alerts.ts"),
  build: () => import("./build.ts"),
  chat: () => import("./chat.ts"),
  "checkpoint create": () => import("./checkpoint/create.ts"),
  "checkpoint export": () => import("./checkpoint/export.ts"),
  "checkpoint import": () => import("./checkpoint/import.ts"),
  "checkpoint list show": () => import("./checkpoint/checkpoints.ts"),
  "checkpoint prune": () => import("./checkpoint/prune.ts"),
  "checkpoint restore": () => import("./checkpoint/restore.ts"),
  "checkpoint verify": () => import("./checkpoint/verify.ts"),
  "config check": () => import("./config/check.ts"),
  "config print": () => import("./config/print.ts"),
  "database accept-older": () => import("./database/accept-older.ts"),
  "database compact": () => import("./database/compact.ts"),
  "database info": () => import("./database/info.ts"),
  "database migrate": () => import("./database/migrate.ts"),
  "database rescue": () => import("./database/rescue.ts"),
  "deploy add": () => import("./deploy/add.ts"),
  docs: () => import("./docs.ts"),
  doctor: () => import("./doctor.ts"),
  "endpoint list reconnect show": () => import("./endpoint/endpoints.ts"),
  "events tail": () => import("./events/tail.ts"),
  "generation list rollback unpin": () => import("./generation/generations.ts"),
  "inbox discard gaps hold list redact release retry show": () => import("./inbox/events.ts"),
  "inbox trail": () => import("./inbox/trail.ts"),
  "ingress pause resume status": () => import("./ingress/ingress.ts"),
  init: () => import("./init.ts"),
  logs: () => import("./logs.ts"),
  "outbox discard hold list redact release retry show": () => import("./outbox/messages.ts"),
  "plugin add": () => import("./plugin/add.ts"),
  "plugin disable enable list": () => import("./plugin/plugins.ts"),
  "plugin new": () => import("./plugin/new.ts"),
  "release abort complete history status": () => import("./release/releases.ts"),
  "release begin": () => import("./release/begin.ts"),
  "release install": () => import("./release/install.ts"),
  "release prepare verify": () => import("./release/verify.ts"),
  rollback: () => import("./rollback.ts"),
  "runtime reload": () => import("./runtime/reload.ts"),
  "runtime restart": () => import("./runtime/restart.ts"),
  "runtime start": () => import("./runtime/start.ts"),
  "runtime status": () => import("./runtime/status.ts"),
  "runtime stop": () => import("./runtime/stop.ts"),
  "schedule add edit": () => import("./schedule/edits.ts"),
  "schedule cancel list pause remove resume run runs show": () => import("./schedule/jobs.ts"),
  "schedule next": () => import("./schedule/next.ts"),
  send: () => import("./send.ts"),
  "service install logs status uninstall": () => import("./service/services.ts"),
  "timer add cancel edit hold list release show": () => import("./timer/timers.ts"),
  "user approve": () => import("./user/approve.ts"),
  "user export": () => import("./user/export.ts"),
  "user forget": () => import("./user/forget.ts"),
  "user may": () => import("./user/may.ts"),
  "workroom accept add block cancel claim comment journal list review show unblock": () =>
    import("./workroom/items.ts"),
  "workroom verify": () => import("./workroom/verify.ts"),
}

/** The module of each command, by the command's words. A call loads only its own module. */
export const commands: Readonly<Record<string, Load>> = Object.fromEntries(
  Object.entries(modules)
    .flatMap(([words, load]) => {
      const [group = "", ...names] = words.split(" ")
      return names.length === 0 ? [[group, load] as const] : names.map(name => [`${group} ${name}`, load] as const)
    })
    .sort(([one], [other]) => (one < other ? -1 : 1)),
)

/** Loads a command of the table: its words are its path, and the last one is its name in a module with several. */
export const loadCommand = async (name: string): Promise<CommandClass> => {
  const words = name.split(" ")
  const exported = (await commands[name]?.()) ?? {}
  const command = exported[words.at(-1) ?? ""] ?? Object.values(exported)[0]
  return Object.assign(command as CommandClass, {paths: [words]})
}
