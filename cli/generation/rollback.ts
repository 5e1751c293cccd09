import {Command, Option} from "clipanion"
import {type PluginChanges, pluginChanges} from "../../shared/api/generation-changes.ts"
import type {GenerationView} from "../../shared/api/system.ts"
import {connectHost} from "../kit/host-client.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class GenerationRollback extends DataCommand {
  static override usage = Command.Usage({
    description: "run the configuration of an earlier generation",
    details: `
      The Host commits that configuration as a new generation and pins it: it stays in effect, across restarts too, until svc.config.yml changes or you run svc generation unpin.

      The command does not change svc.config.yml, and plugins keep their present code.
    `,
    examples: [["Back to generation 6", "svc generation rollback 6"]],
  })

  number = Option.String({name: "number"})

  async run(): Promise<void> {
    const host = await connectHost(this.folder)
    const {items} = await host.get<{items: GenerationView[]}>("/api/generations?limit=50")
    const running = items.find(({current}) => current)
    const wanted = items.find(({number}) => String(number) === this.number)
    const committed = await host.post<{number: number}>(`/api/generations/${encodeURIComponent(this.number)}/rollback`)
    const told = running === undefined || wanted === undefined ? [] : describe(pluginChanges(running, wanted))
    this.show(committed, () =>
      [`generation ${committed.number} runs the configuration of ${this.number}, pinned`, ...told].join("\n"),
    )
  }
}

const describe = ({enabled, disabled, code}: PluginChanges): readonly string[] => [
  ...(enabled.length === 0 ? [] : [`  enabled   ${enabled.join(", ")}`]),
  ...(disabled.length === 0 ? [] : [`  disabled  ${disabled.join(", ")}`]),
  ...(code.length === 0 ? [] : [`  not restored: the code of ${code.join(", ")}, which has changed since`]),
]
