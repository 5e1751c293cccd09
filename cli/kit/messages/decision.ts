import {Problem} from "../../../shared/problems.ts"
import {connectHost} from "../host-client.ts"
import {DataCommand} from "../svc-command.ts"

export type Decision = "retry" | "release" | "discard" | "cancel"

interface Decided {
  /** The list's name in the paths of the API. */
  readonly list: "inbox" | "outbox" | "timers" | "runs"
  readonly action: Decision
  /** The id; undefined with `--held`, which means all held rows. */
  readonly named: string | undefined
  readonly isHeld: boolean
  /** The error if neither is given, and its hint. */
  readonly question: string
  readonly hint: string
  readonly body?: object
}

/** The base of the commands that decide about rows that wait for a person. */
export abstract class DecisionCommand extends DataCommand {
  /** Resolves to the Host's change. Throws `request_invalid` unless exactly one of `named` and `--held` is given. */
  protected async decide<Changed>({list, action, named, isHeld, question, hint, body}: Decided): Promise<Changed> {
    if (isHeld === (named !== undefined)) {
      const detail = isHeld ? `name either ${named} or --held, not both` : question
      throw new Problem("request_invalid", detail, {hint})
    }
    const which = named === undefined ? "held" : encodeURIComponent(named)
    const host = await connectHost(this.folder)
    return host.post<Changed>(`/api/${list}/${which}/${action}`, body)
  }
}
