import {Command} from "clipanion"
import type {PluginView} from "../../shared/api/plugin-views.ts"
import {table} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class PluginList extends DataCommand {
  static override usage = Command.Usage({
    description: "list the plugins of the running configuration, with their states and errors",
    examples: [
      ["All plugins", "svc plugin list"],
      ["As JSON", "svc plugin list --json"],
    ],
  })

  async run(): Promise<void> {
    const {items} = await this.get<{items: PluginView[]}>("/api/plugins?limit=500")
    this.show(items, () => table(["plugin", "state", "code", "error"], items.map(rowOf)))
  }
}

const rowOf = ({name, state, from = "", error = "", at}: PluginView) => [
  name,
  state,
  from,
  at === undefined ? error : `${at.file}:${at.line}:${at.column} ${error}`,
]
