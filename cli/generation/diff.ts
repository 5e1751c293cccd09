import {Command, Option} from "clipanion"
import {createTwoFilesPatch, FILE_HEADERS_ONLY} from "diff"
import {SvcCommand} from "../kit/svc-command.ts"

export class GenerationDiff extends SvcCommand {
  static override usage = Command.Usage({
    description: "show the differences between the configurations of two generations",
    details:
      "Variables appear as they are written, so the output contains no secret. Prints nothing if the two are equal.",
    examples: [["The changes of generation 7", "svc generation diff 6 7"]],
  })

  from = Option.String({name: "from"})
  to = Option.String({name: "to"})

  async run(): Promise<void> {
    const [from, to] = await Promise.all(
      [this.from, this.to].map(number => this.get("/api/generations/:number/config", {number})),
    )
    if (from === undefined || to === undefined || from.config === to.config) return
    const names = [`generation ${this.from}`, `generation ${this.to}`] as const
    const headerOptions = FILE_HEADERS_ONLY
    this.print(createTwoFilesPatch(...names, from.config, to.config, undefined, undefined, {headerOptions}).trimEnd())
  }
}
