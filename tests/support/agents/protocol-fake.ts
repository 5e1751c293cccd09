import {type ChatCompletionRequest, LLMock} from "@copilotkit/aimock"
import {onTestFinished} from "vitest"
import type {ScriptedCall} from "./scripted-model.ts"

/** What a client asks of the fake, whichever protocol it speaks. */
export interface FakeQuestion {
  readonly model: string
  /** What the user asks in this run: the last message that is the user's. */
  readonly asked: string
  /** The results of tools since, the oldest first. */
  readonly results: readonly string[]
}

export interface FakeAnswer {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
}

export interface ProtocolFake {
  /** Of the OpenAI protocol and of Anthropic's, for `baseURL`. */
  readonly url: string
  /** Paths that were asked, the oldest first. */
  paths(): readonly string[]
  /** The bodies of all requests, as JSON. */
  bodies(): string
}

/**
 * A fake of two protocols, `@copilotkit/aimock`, over real HTTP with streaming, until the test is over. It checks and writes what
 * OpenAI's and Anthropic's servers do; no model is behind it, and what it says is the test's script.
 */
export const startProtocolFake = async (script: (question: FakeQuestion) => FakeAnswer): Promise<ProtocolFake> => {
  const fake = new LLMock({port: 0, chunkSize: 7})
  let count = 0
  fake.on({predicate: () => true}, request => {
    const {text = "", calls = []} = script(questionOf(request))
    const toolCalls = calls.map(({name, args = {}}) => ({
      id: `toolu_${++count}`,
      name: name.replaceAll(".", "__"),
      arguments: JSON.stringify(args),
    }))
    return toolCalls.length === 0 ? {content: text} : {content: text, toolCalls}
  })
  await fake.start()
  onTestFinished(() => fake.stop())
  return {
    url: `${fake.url}/v1`,
    paths: () => fake.getRequests().map(({path}) => path),
    bodies: () => JSON.stringify(fake.getRequests().map(({body}) => body)),
  }
}

const questionOf = ({model, messages}: ChatCompletionRequest): FakeQuestion => {
  const at = messages.findLastIndex(({role}) => role === "user")
  const results = messages.slice(at).filter(({role}) => role === "tool")
  return {model, asked: textOf(messages[at]?.content), results: results.map(({content}) => textOf(content))}
}

const textOf = (content: string | readonly {readonly text?: string}[] | null | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map(({text = ""}) => text).join("")
