import type {AlertWait} from "../../../shared/alerts/api.ts"
import {type AlertTarget, kindOf} from "../../../shared/config/alerts.ts"
import {toJson} from "../../../shared/json.ts"
import {messageOf as saidBy} from "../../../shared/problems.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {messageOf, type Notice, subjectOf, textOf, type Who} from "./notice.ts"
import {type PostTo, postAlert} from "./webhook.ts"

export interface Mail {
  readonly id: string
  readonly subject: string
  readonly text: string
}

export interface Senders {
  /** Returns why an endpoint's channel cannot receive now; undefined if it can. */
  channelWaits(endpoint: string): AlertWait | undefined
  /** Resolves once the message is in the outbox, which has one message for each `key`. */
  send(to: {readonly endpoint: string; readonly channel: string}, text: string, key: string): Promise<void>
  readonly post: PostTo
  /** Resolves once the server has accepted the mail. */
  mail(target: NonNullable<AlertTarget["email"]>, mail: Mail, signal: AbortSignal): Promise<void>
}

/** How long a target may take, in milliseconds. */
const limits = {channel: 10_000, webhook: 10_000, email: 30_000} as const

/** The pauses after each failed attempt, in milliseconds. After the last one the message is abandoned. */
export const waits = [2000, 15_000, 60_000, 300_000, 900_000] as const

/** Delivers a message to its target. Throws an error that says why it failed, without addresses and secrets. */
export const deliver = async (
  senders: Senders,
  target: AlertTarget,
  notice: Notice,
  who: Who,
  outer?: AbortSignal,
): Promise<void> => {
  const kind = kindOf(target)
  await withTimeLimit(
    limits[kind],
    async signal => {
      if (target.webhook !== undefined) {
        const body = toJson(messageOf(notice, who, notice.at))
        await postAlert(senders.post, target.webhook, {id: notice.id, body}, signal)
      } else if (target.email !== undefined) {
        const mail = {id: notice.id, subject: subjectOf(notice, who.project), text: textOf(notice)}
        await senders.mail(target.email, mail, signal)
      } else {
        const {endpoint = "", channel = ""} = target
        await senders.send({endpoint, channel}, textOf(notice), notice.id)
      }
    },
    outer,
  ).catch((error: unknown) => {
    throw new Error(isTimeout(error) ? `no answer within ${limits[kind] / 1000} s` : saidBy(error), {cause: error})
  })
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === "TimeLimitExceeded"
