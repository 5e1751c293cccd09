import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import {type Outgoing, refused, type Sender, TokenBucket} from "../../../shared/sdk/sdk.ts"
import {splitLine, toLines} from "./format.ts"

/** Servers drop clients that write faster: a burst of lines, then one per interval, in milliseconds. */
const flood = {burst: 5, interval: 700} as const

/**
 * Sends lines in order, first a burst, then paced. Resolves once the server has processed all of them, which its answer
 * to a later PING shows. If an attempt times out, the next attempt of the same id continues after the last written
 * line.
 */
export const createSend = (client: Client, closed: AbortSignal): Sender["send"] => {
  const pace = new TokenBucket(flood)
  /** How many lines were written of a message whose last attempt timed out. */
  const written = new Map<string, number>()
  let pings = 0
  return async (message, signal) => {
    const lines = linesOf(client, message)
    const watch = watchErrors(client, message.channel)
    try {
      for (let next = written.get(message.id) ?? 0; next < lines.length; written.set(message.id, ++next)) {
        const wait = pace.reserve()
        if (wait > 0) await sleep(wait, undefined, {signal})
        if (!client.connected) throw new Error("the connection is closed")
        client.say(message.channel, lines[next] ?? "")
      }
      await answered(client, `svc-${++pings}`, AbortSignal.any([signal, closed]))
      written.delete(message.id)
      watch.check()
      return {ids: []}
    } finally {
      watch.end()
    }
  }
}

const linesOf = (client: Client, {channel, content}: Outgoing): readonly string[] => {
  if (!/^[^\s,:\0]+$/.test(channel)) {
    throw refused(`"${channel}" is not an IRC channel or nick`, {
      reason: "target_invalid",
      remediation: "Send to #channel or to a nick.",
    })
  }
  const most = roomFor(client.user.nick, channel)
  return toLines(content).flatMap(line => splitLine(line, most))
}

/** A line of the protocol has 510 bytes. For other clients it starts with the sender's mask (RFC 1459, section 2.3). */
const roomFor = (nick: string, target: string): number => {
  const longestUser = 11
  const longestHost = 63
  const frame = `:${nick}!@ PRIVMSG ${target} :`
  return 510 - longestUser - longestHost - Buffer.byteLength(frame)
}

/** Resolves once the server has processed everything before this call: it answers a PING. */
export const answered = (client: Client, token: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onPong = ({message}: {message?: string}) => {
      if (message === token) end(resolve)
    }
    const onAbort = () => end(() => reject(new Error("the server did not answer; the message may have arrived")))
    const end = (settle: () => void) => {
      client.removeListener("pong", onPong)
      signal.removeEventListener("abort", onAbort)
      settle()
    }
    client.on("pong", onPong)
    signal.addEventListener("abort", onAbort, {once: true})
    if (signal.aborted) onAbort()
    else client.ping(token)
  })

interface SendError {
  readonly error?: string
  readonly reason?: string
  readonly nick?: string
  readonly channel?: string
}

/** Watches for the server's errors about a message that it does not deliver. */
const watchErrors = (client: Client, target: string) => {
  let error: Error | undefined
  const onError = ({error: code, reason, nick, channel}: SendError) => {
    if (!client.caseCompare(channel ?? nick ?? "", target)) return
    if (code === "no_such_nick")
      error = refused(`${target}: ${reason ?? "no such nick"}`, {
        reason: "target_unknown",
        remediation: "Send to a nick that is online, or to a channel.",
      })
    else if (code === "cannot_send_to_channel" || code === "cannot_send_to_user")
      error = new Error(`${target}: ${reason ?? code}`)
  }
  client.on("irc error", onError)
  return {
    /** Throws the server's error, if there was one. */
    check: () => {
      if (error !== undefined) throw error
    },
    end: () => {
      client.removeListener("irc error", onError)
    },
  }
}
