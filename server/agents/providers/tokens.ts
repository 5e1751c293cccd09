import type {AgentSettings} from "../../../shared/config/agents.ts"
import {toExactJson} from "../../../shared/json.ts"
import type {ModelMessage, ModelRequest, ModelTool, ModelUsage} from "./model.ts"

/** The fewest bytes of a token, in prose and in JSON. Measured: 3.5 to 4.5 in English, 1.5 to 3 in Chinese. */
const bytesPerToken = 3

/** The tokens that the protocols add to a conversation, a message and a tool. */
const around = {conversation: 50, message: 10, tool: 20}

/** Estimates the tokens of a text, rather too high. */
export const estimateText = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken)

/** Estimates the tokens of messages, rather too high. */
export const estimateMessages = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + estimateText(textOf(message)) + around.message, 0)

/** Estimates the tokens of a tool's description, rather too high. */
export const estimateTool = (tool: ModelTool): number => estimateText(toExactJson(tool)) + around.tool

/** Estimates the input tokens, rather too high, to reserve a budget. Only dense text, such as base64, counts more. */
export const estimateTokens = ({instructions, messages, tools}: ModelRequest): number => {
  const parts = [instructions, ...messages.map(textOf), ...tools.map(tool => toExactJson(tool))]
  const bytes = parts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const overhead = around.conversation + messages.length * around.message + tools.length * around.tool
  return Math.ceil(bytes / bytesPerToken) + overhead
}

/** Details contain thoughts, which are sent back and count, and some of the text again: the estimate is a bit high. */
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

/** Returns the price of a call, from prices per million tokens, in millionths of the prices' unit, rounded up; 0 without prices. */
export const priceOf = (usage: ModelUsage, prices: AgentSettings["prices"]): number => {
  if (prices === undefined) return 0
  const millionths = usage.input * prices.input + usage.output * prices.output
  const nearest = Math.round(millionths)
  // In floating point, 70 tokens at 1.1 are 77.00000000000001.
  return Math.abs(millionths - nearest) < 1e-6 ? nearest : Math.ceil(millionths)
}
