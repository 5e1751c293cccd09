import {Option} from "clipanion"
import type {GenerationView} from "../../shared/api/system.ts"
import {connectHost} from "./host-client.ts"
import {DataCommand} from "./svc-command.ts"

/** The base of the commands that enable or disable a plugin of the running configuration. */
export abstract class SwitchCommand extends DataCommand {
  plugin = Option.String({name: "plugin"})

  protected async turn(enabled: boolean): Promise<void> {
    const host = await connectHost(this.folder)
    const path = `/api/plugins/${encodeURIComponent(this.plugin)}`
    const committed = await host.post<GenerationView>(path, {enabled})
    const what = `generation ${committed.number} runs ${enabled ? "with" : "without"} ${this.plugin}`
    this.show(committed, () => `${what}${committed.pinned ? ", pinned" : ""}`)
  }
}
