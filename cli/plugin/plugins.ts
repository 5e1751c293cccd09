import {type CommandClass, Option, type Usage} from "clipanion"
import {remarkOn} from "../../shared/api/configuration/unready.ts"
import {postCommand, wholeListCommand} from "../kit/rows.ts"

/** Makes the command that enables or disables a plugin of the running configuration. */
const change = (enabled: boolean, usage: Usage): CommandClass =>
  postCommand({
    ...usage,
    path: "/api/plugins/:plugin",
    options: {plugin: Option.String({name: "plugin"}), enabled},
    describe: ({number, pinned, unready}, {plugin}) => {
      const what = `generation ${number} runs ${enabled ? "with" : "without"} ${plugin}`
      return `${what}${pinned ? ", pinned" : ""}${remarkOn(unready)}`
    },
  })

export const disable = change(false, {
  description: "disable a plugin while the Host runs",
  details: `
    The Host removes everything that the plugin publishes, and commits and pins a new generation without it. It stays disabled, across restarts too, until svc plugin enable, svc generation unpin, or a change of svc.config.yml.

    The command does not change svc.config.yml. To disable a plugin for good, write enabled: false there.
  `,
  examples: [["Disable the plugin greeter", "svc plugin disable greeter"]],
})

export const enable = change(true, {
  description: "enable a disabled plugin while the Host runs",
  details:
    "If the result equals svc.config.yml, the pin that disabled the plugin ends; otherwise the Host pins the new configuration.",
  examples: [["Enable the plugin greeter again", "svc plugin enable greeter"]],
})

export const list = wholeListCommand({
  description: "list the plugins of the running configuration, with their states and errors",
  examples: [
    ["All plugins", "svc plugin list"],
    ["As JSON", "svc plugin list --json"],
  ],
  path: "/api/plugins",
  columns: {
    plugin: ({name}) => name,
    state: ({state}) => state,
    code: ({from}) => from,
    access: ({capabilities}) => capabilities.flatMap(({kind, name}) => (kind === "access" ? [name] : [])).join(", "),
    error: ({error = "", at}) => (at === undefined ? error : `${at.file}:${at.line}:${at.column} ${error}`),
  },
})
