import type {ServerResponse} from "node:http"
import {startRawServer} from "./raw-server.ts"

/** Words that mean the same have the same place. */
const meanings = [
  ["dog", "beagle", "puppy", "pet"],
  ["car", "vehicle", "automobile"],
  ["tea", "beverage", "drink"],
  ["house", "home", "dwelling"],
]

const dimensions = 384

/** The meanings that a text has, and a little of how long it is. */
const vectorOf = (text: string): readonly number[] => {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const known = meanings.map(same => words.filter(word => same.includes(word)).length * 10)
  return Array.from({length: dimensions}, (_, n) => known[n] ?? (n === dimensions - 1 ? 1 : 0))
}

type Play = (response: ServerResponse, texts: readonly string[]) => unknown

const send = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, {"content-type": "application/json"})
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

export const listOf = (vectors: readonly unknown[]) => ({
  object: "list",
  data: vectors.map((embedding, index) => ({object: "embedding", index, embedding})),
  usage: {prompt_tokens: 5 * vectors.length, total_tokens: 5 * vectors.length},
})

const embed: Play = (response, texts) => send(response, listOf(texts.map(vectorOf)))

/** The ways in which an embedding server can be of no use. */
export const uselessAnswers: Readonly<Record<string, Play>> = {
  "is away": response => response.destroy(),
  "is silent": () => {},
  "answers 500": response => send(response, {error: {message: "no"}}, 500),
  "answers 401": response => send(response, {error: {message: "no"}}, 401),
  "answers no JSON": response => send(response, "<html>"),
  "answers no vectors": (response, texts) => send(response, listOf(texts.map(() => ["a", null]))),
  "answers zeros": (response, texts) => send(response, listOf(texts.map(() => [0, 0, 0]))),
  "answers too few": response => send(response, listOf([])),
  "answers 50 MB": response => send(response, `{"data": [${"[0.1], ".repeat(7_500_000)}[]]}`),
  "answers another dimension": (response, texts) => send(response, listOf(texts.map(() => [1, 2, 3]))),
}

/** A stand-in for an embedding server: OpenAI's `/embeddings` over real HTTP, without a model, until the test ends. */
export const startEmbeddingServer = async () => {
  let play = embed
  const server = await startRawServer((response, {body}) => play(response, JSON.parse(body).input))
  return {
    url: `${server.url}/v1`,
    requests: server.requests,
    texts: () => server.requests.flatMap(({body}): readonly string[] => JSON.parse(body).input),
    follow: (next: Play = embed) => {
      play = next
    },
  }
}
