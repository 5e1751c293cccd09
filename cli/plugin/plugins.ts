import {type CommandClass, Option, type Usage} from "clipanion"
import {remarkOn} from "../../shared/api/configuration/unready.ts"
import {Problem} from "../../shared/problems.ts"
import {rowCommand, wholeListCommand} from "../kit/rows.ts"

/** Makes the command that enables or disables plugins of the running configuration, each in its own generation. */
const change = (enabled: boolean, usage: Usage): CommandClass =>
  rowCommand({
    ...usage,
    options: {plugins: Option.Rest({name: "plugin", required: 1})},
    run: async given => {
      const [first = "", ...more] = new Set(given.plugins)
      for (const plugin of more) {
        const {state} = await given.get("/api/plugins/:plugin", {plugin})
        if ((state === "disabled") !== enabled)
          throw new Problem("conflict", `${plugin} is already ${enabled ? "enabled" : "disabled"}`)
      }
      const turn = (plugin: string) => given.post("/api/plugins/:plugin", {plugin, body: {enabled}})
      let last = await turn(first)
      for (const plugin of more) {
        given.tell(`svc: generation ${last.number} is running; next is ${plugin}`)
        last = await turn(plugin)
      }
      const what = `${enabled ? "with" : "without"} ${[first, ...more].join(" and ")}`
      given.show(
        last,
        ({number, pinned, unready}) =>
          `generation ${number} runs ${what}${pinned ? ", pinned" : ""}${remarkOn(unready)}`,
      )
    },
  })

export const disable = change(false, {
  description: "disable plugins while the Host runs",
  details: `
    The Host removes everything that each plugin publishes, and commits and pins a new generation without it. It stays disabled, across restarts too, until svc plugin enable, svc generation unpin, or a change of svc.config.yml.

    The command does not change svc.config.yml. To disable a plugin for good, write enabled: false there.
  `,
  examples: [["Disable the plugin greeter", "svc plugin disable greeter"]],
})

export const enable = change(true, {
  description: "enable disabled plugins while the Host runs",
  details:
    "If the result equals svc.config.yml, the pin that disabled the plugin ends; otherwise the Host pins the new configuration.",
  examples: [["Enable two plugins again", "svc plugin enable greeter dice"]],
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
