import {expect, test} from "vitest"
import {createFor} from "../../../server/agents/providers/create.ts"
import {Secret} from "../../../shared/secret.ts"
import {type bindingOf, modelIn, never} from "../../support/agents/bindings.ts"
import {root} from "../../support/host/runtimes.ts"

/** Returns the address and body of a call without sending it. */
const sentBy = async (settings: Parameters<typeof bindingOf>[0]) => {
  const sent: {url: string; body: Record<string, unknown>}[] = []
  const model = await createFor(modelIn({key: new Secret("key"), ...settings}), root)
  const fetch = (url: string | URL | Request, init?: RequestInit) => {
    sent.push({url: String(url), body: JSON.parse(String(init?.body))})
    return Promise.reject(new Error("nothing is sent"))
  }
  const prompt = [{role: "user" as const, content: [{type: "text" as const, text: "hello"}]}]
  await expect(model.stream({prompt, maxOutputTokens: 77, abortSignal: never}, fetch)).rejects.toThrow()
  return sent[0]
}

test("without an address, calls go to the provider's own", async () => {
  expect((await sentBy({provider: "anthropic"}))?.url).toBe("https://api.anthropic.com/v1/messages")
  expect((await sentBy({provider: "google", model: "gemini"}))?.url).toBe(
    "https://generativelanguage.googleapis.com/v1beta/models/gemini:streamGenerateContent?alt=sse",
  )
  expect((await sentBy({}))?.url).toBe("https://api.openai.com/v1/chat/completions")
})

test("no variable of the environment redirects a call and its key", async () => {
  process.env.ANTHROPIC_BASE_URL = "http://127.0.0.1:1"
  try {
    expect((await sentBy({provider: "anthropic"}))?.url).toBe("https://api.anthropic.com/v1/messages")
  } finally {
    delete process.env.ANTHROPIC_BASE_URL
  }
})

test("the token limit has a new name for OpenAI's own models, and the old one for other servers", async () => {
  const atOpenAI = (await sentBy({}))?.body
  expect(atOpenAI).toMatchObject({max_completion_tokens: 77, stream: true, stream_options: {include_usage: true}})
  expect(atOpenAI).not.toHaveProperty("max_tokens")
  const elsewhere = await sentBy({baseURL: "http://127.0.0.1:11434/v1/"})
  expect(elsewhere?.url).toBe("http://127.0.0.1:11434/v1/chat/completions")
  expect(elsewhere?.body).toMatchObject({max_tokens: 77})
})
