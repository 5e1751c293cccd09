import type {Content} from "../../../shared/sdk/content/elements.ts"
import type {MethodParameters} from "../../../shared/sdk/platform/methods.ts"
import type {AgentResult, AgentRunOptions} from "../../../shared/sdk/plugin/agent.ts"
import type {SendOptions, SentMessage} from "../../../shared/sdk/plugin/plugin.ts"
import type {Target} from "../../../shared/sdk/session/session.ts"
import type {ListedTimer, TimerOptions, TimerPlace, When} from "../../../shared/sdk/session/timer.ts"
import type {Caller} from "../../endpoints/methods.ts"

/** The Host's functions for plugin instances outside their handlers, from the composition root, by plugin. */
export interface PluginHost {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Resolves to the outbox id once the message is durable. Throws `target_invalid`, `endpoint_unknown`, `unsupported`,
   * `request_invalid`, `ingress_paused`.
   */
  send(plugin: string, target: Target, content: Content, options?: SendOptions): Promise<string>
  /** Resolves to the timer's id once it is durable. Throws `timer_unknown`, `timer_invalid`, `endpoint_unknown`. */
  setTimer(
    plugin: string,
    name: string,
    when: When & {readonly target?: TimerPlace},
    data: unknown,
    options?: TimerOptions,
  ): Promise<string>
  /** Resolves to whether there was one. */
  clearTimer(plugin: string, timer: string | Pick<ListedTimer, "id">): Promise<boolean>
  /** Throws `timer_unknown`, `target_invalid`. */
  timers(plugin: string, name: string, of?: TimerPlace): Promise<readonly ListedTimer[]>
  /**
   * Queries a platform now with a method that only reads. Throws the errors of `requireMethod`, `request_invalid` for a
   * method that acts, `endpoint_offline`, `platform_failed`.
   */
  ask(plugin: Caller, endpoint: string, method: string, params: MethodParameters): Promise<unknown>
  /** Calls a method that acts now. Throws the errors of `ask`, and `ingress_paused`. */
  callNow(plugin: Caller, endpoint: string, method: string, params: MethodParameters): Promise<unknown>
  /** Returns the language of a conversation. Throws `target_invalid`. */
  languageOf(place: TimerPlace): Promise<string>
  /** Resolves to the runId once the run of the agent is durable. Throws what `AgentHandle.run` throws. */
  runAgent(plugin: string, agent: string, input: string, options?: AgentRunOptions): Promise<string>
  /** Throws `agent_run_unknown`. */
  agentResult(plugin: string, runId: string): Promise<AgentResult>
  /** Returns a message of the outbox, sent by any plugin or the Host; undefined if it is not there. */
  message(id: string): Promise<SentMessage | undefined>
  /** Resolves to a message once it has ended. Throws `outbox_unknown`, and the reason of an aborted signal. */
  sent(id: string, signals: readonly AbortSignal[]): Promise<SentMessage>
  /** Resolves to whether the message was cancelled. Throws `outbox_unknown`. */
  cancel(plugin: string, id: string): Promise<boolean>
}
