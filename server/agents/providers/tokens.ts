import {toExactJson} from "../../../shared/json.ts"
import type {ModelMessage, ModelRequest, ModelUsage} from "./model.ts"

/** Bytes of a token at least, in prose and in JSON: measured ones have 3.5 to 4.5 in English, and one or two a Chinese character. */
const bytesPerToken = 3

/** Tokens that the protocols add around a conversation, a message and a tool. */
const around = {conversation: 50, message: 10, tool: 20}

/**
 * How many tokens a request will count as input: rather too many than too few, to set a budget aside before the call. Only dense text,
 * such as base64, counts more at the provider.
 */
export const estimateTokens = ({instructions, messages, tools}: ModelRequest): number => {
  const parts = [instructions, ...messages.map(textOf), ...tools.map(tool => toExactJson(tool))]
  const bytes = parts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const overhead = around.conversation + messages.length * around.message + tools.length * around.tool
  return Math.ceil(bytes / bytesPerToken) + overhead
}

/** Details hold thoughts, which go back and count; what they repeat of the text makes it rather too many. */
const textOf = (message: ModelMessage): string => {
  switch (message.role) {
    case "user":
      return message.text
    case "tool":
      return message.result
    case "assistant":
      return `${message.text}${toExactJson(message.calls)}${message.details === undefined ? "" : toExactJson(message.details)}`
  }
}

/** Of a million tokens, as a binding says. */
export interface Prices {
  readonly input: number
  readonly output: number
}

/** What a call costs, in millionths of the unit of the prices, rounded up; 0 without prices. */
export const priceOf = (usage: ModelUsage, prices: Prices | undefined): number => {
  if (prices === undefined) return 0
  const millionths = usage.input * prices.input + usage.output * prices.output
  const nearest = Math.round(millionths)
  // 70 tokens at 1.1 are 77.00000000000001 by floating point.
  return Math.abs(millionths - nearest) < 1e-6 ? nearest : Math.ceil(millionths)
}
