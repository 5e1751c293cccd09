import {type ChatCompletionRequest, LLMock} from "@copilotkit/aimock"
import {onTestFinished} from "vitest"
import type {ScriptedCall} from "./scripted-model.ts"

/** A client's request to the fake, in either protocol. */
export interface FakeQuestion {
  readonly model: string
  /** The user's last message in this run. */
  readonly asked: string
  /** The tool results since that message, oldest first. */
  readonly results: readonly string[]
}

export interface FakeAnswer {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
}

export interface ProtocolFake {
  /** The `baseURL` for the OpenAI protocol and for Anthropic's. */
  readonly url: string
  paths(): readonly string[]
  bodies(): string
}

/**
 * A fake of two protocols, `@copilotkit/aimock`, over real HTTP with streaming, until the test ends. It checks and
 * writes what OpenAI's and Anthropic's servers do. There is no model behind it: the test's script provides the answers.
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
