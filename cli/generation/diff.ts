import {Command, Option} from "clipanion"
import {createTwoFilesPatch, FILE_HEADERS_ONLY} from "diff"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {connectHost} from "../kit/host-client.ts"
import {SvcCommand} from "../kit/svc-command.ts"

export class GenerationDiff extends SvcCommand {
  static override paths = [["generation", "diff"]]
  static override usage = Command.Usage({
    description: "show the differences between the configurations of two generations",
    details:
      "Variables appear as they are written, so the output contains no secret. Prints nothing if the two are equal.",
    examples: [["The changes of generation 7", "svc generation diff 6 7"]],
  })

  from = Option.String({name: "from"})
  to = Option.String({name: "to"})

  async run(): Promise<ExitCode> {
    const host = await connectHost(this.folder)
    const [from, to] = await Promise.all(
      [this.from, this.to].map(number =>
        host.get<{config: string}>(`/api/generations/${encodeURIComponent(number)}/config`),
      ),
    )
    if (from === undefined || to === undefined || from.config === to.config) return exit.ok
    const names = [`generation ${this.from}`, `generation ${this.to}`] as const
    const headerOptions = FILE_HEADERS_ONLY
    this.print(createTwoFilesPatch(...names, from.config, to.config, undefined, undefined, {headerOptions}).trimEnd())
    return exit.ok
  }
}
