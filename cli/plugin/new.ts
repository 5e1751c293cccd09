import {Option} from "clipanion"
import {builtIns} from "../../server/host/plugins/built-in-plugins.ts"
import {makePlugin} from "../../server/process/new-plugin.ts"
import {callOf} from "../../server/process/toolchain.ts"
import {packageRoot} from "../../server/runtime/own-files.ts"
import {isHostRunning} from "../kit/host-client.ts"
import {facts} from "../kit/print.ts"
import {rowCommand} from "../kit/rows.ts"

export const create = rowCommand({
  description: "create a new plugin in the project",
  details: `
      Writes plugins/<name>.ts and tests/<name>.test.ts, and adds the plugin to svc.config.yml without losing its comments. It never overwrites a file.

      A Host that runs in development loads the plugin at once. With \`--adapter\` the plugin is a working adapter, with a small server for its tests in tests/<name>-server.ts.
    `,
  examples: [
    ["A plugin with a command", "svc plugin new dice"],
    ["An adapter for a chat platform", "svc plugin new my-chat --adapter"],
  ],
  options: {
    plugin: Option.String({name: "name"}),
    adapter: Option.Boolean("--adapter", false, {description: "Create an adapter"}),
  },
  run: async given => {
    const made = await makePlugin({
      project: given.folder,
      name: given.plugin,
      isAdapter: given.adapter,
      builtIn: Object.keys(builtIns),
      packageRoot,
    })
    const isRunning = await isHostRunning(given.folder)
    given.show(made, () => describe(made.files, made.name, isRunning))
  },
})

const describe = (files: readonly string[], name: string, isRunning: boolean): string => {
  const {run} = callOf(process.versions.bun === undefined ? "node" : "bun")
  const takes = "In development the running Host loads it at once; in production, run svc build and restart the Host."
  const steps = facts([
    [`  ${run} test`, "runs its test"],
    [`  ${run} dev`, isRunning ? null : "starts the Host with it"],
  ])
  return `wrote ${files.slice(0, -1).join(", ")}
added ${name} to ${files.at(-1)}${isRunning ? `\n${takes}` : ""}

${steps}`
}
