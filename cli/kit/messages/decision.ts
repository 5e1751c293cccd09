import {Problem} from "../../../shared/problems.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"

export type Decision = "retry" | "release" | "discard" | "cancel"

interface Decided {
  /** The list, as the paths of the API name it. */
  readonly list: "inbox" | "outbox" | "timers" | "runs"
  readonly action: Decision
  /** Which one; left out with `--held`, for everything that is held. */
  readonly named: string | undefined
  readonly isHeld: boolean
  /** What is missing where neither is given, and how to give it. */
  readonly question: string
  readonly hint: string
  readonly body?: object
}

/** What the commands share that decide about handlers or messages which wait for a person. */
export abstract class DecisionCommand extends DataCommand {
  /** Resolves to what the Host has changed. Throws `request_invalid` unless one of `named` and `--held` is given. */
  protected async decide<Changed>({list, action, named, isHeld, question, hint, body}: Decided): Promise<Changed> {
    if (isHeld === (named !== undefined)) {
      const detail = isHeld ? `--held names everything that is held, and ${named} is named too` : question
      throw new Problem("request_invalid", detail, {hint})
    }
    const which = named === undefined ? "held" : encodeURIComponent(named)
    const host = await connectHost(this.folder)
    return host.post<Changed>(`/api/${list}/${which}/${action}`, body)
  }
}
