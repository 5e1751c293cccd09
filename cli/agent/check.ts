import {Command, Option} from "clipanion"
import type {AgentCheck as Check} from "../../shared/api/agents/agents.ts"
import {type ExitCode, exit} from "../../shared/exit.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class AgentCheck extends DataCommand {
  static override usage = Command.Usage({
    description: "call an agent's model once to check that it answers",
    details: "The provider may charge for the call. Exits 1 if the model does not answer. Needs a running Host.",
    examples: [["Check the key, the address and the model", "svc agent check writer"]],
  })

  name = Option.String({name: "name"})

  async run(): Promise<ExitCode> {
    const check = await this.post<Check>(`/api/agents/${encodeURIComponent(this.name)}/check`)
    if (check.ok || this.json) this.show(check, answered)
    else this.tell(`svc: ${check.model}: ${check.problem}${check.hint === null ? "" : `\n  hint: ${check.hint}`}`)
    return check.ok ? exit.ok : exit.failed
  }
}

const answered = ({model, milliseconds, tokens}: Check): string =>
  `${model} answered in ${milliseconds} ms${tokens === null ? "" : ` with ${tokens} tokens`}`
