import {AnswerTooLarge, fetchWhole, readText} from "../../../shared/sdk/adapter/answer.ts"
import {loadFor, oldPackage} from "./create.ts"
import {failureOfAnswer, failureOfConnection, malformedFailure, packageFailure, withoutSecrets} from "./failures.ts"
import type {Hide} from "./hiding.ts"
import {field} from "./known-parts.ts"
import {ModelFailure} from "./model.ts"
import type {BoundModel} from "./models.ts"
import type {OpenOptions} from "./open-model.ts"
import {estimateText} from "./tokens.ts"

/** The largest answer, in bytes, and the longest vector. */
const longestAnswer = 8 * 1024 * 1024
const mostDimensions = 8192

export interface Embedded {
  /** A vector of the length 1 for each text. */
  readonly vectors: readonly Float32Array<ArrayBuffer>[]
  readonly tokens: number
}

export interface EmbeddingModel {
  /** Makes one call. Rejects with a `ModelFailure`, or with the reason of `signal`. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>
}

type Fetch = Parameters<Awaited<ReturnType<typeof loadFor>>["make"]>[0]

/** Loads the provider's package, but sends no request. Throws `agent_misconfigured`. */
export const openEmbedding = async (model: BoundModel, {project, hide}: OpenOptions): Promise<EmbeddingModel> => {
  const {make, provider, key} = await loadFor(model, project)
  const hideAll: Hide = text => hide(key === "" ? text : text.replaceAll(key, "[secret]")).toWellFormed()
  const asFunction = (value: unknown) => {
    if (typeof value === "function") return value
    throw oldPackage(provider)
  }
  const create = (fetch: Fetch): unknown => {
    const made = make(fetch)
    return Reflect.apply(asFunction(Reflect.get(Object(made), "embeddingModel")), made, [model.settings.model])
  }
  asFunction(field(create(globalThis.fetch), "doEmbed"))
  return {
    embed: async (texts, signal) => {
      let failure: ModelFailure | undefined
      const fetching: Fetch = (input, init) =>
        answerTo(input, init).catch(error => {
          failure = error instanceof ModelFailure ? error : undefined
          throw error
        })
      try {
        const values = texts.map(hideAll)
        const made = create(fetching)
        const work: unknown = Reflect.apply(asFunction(field(made, "doEmbed")), made, [{values, abortSignal: signal}])
        return readAnswer(await work, values)
      } catch (error) {
        signal.throwIfAborted()
        throw withoutSecrets(failure ?? (error instanceof ModelFailure ? error : packageFailure(error)), hideAll)
      }
    },
  }
}

const answerTo: Fetch = async (input, init = {}) => {
  const url = input instanceof Request ? input.url : String(input)
  const response = await fetchWhole(input, {...init, redirect: "manual", most: longestAnswer}).catch(error => {
    if (init.signal?.aborted) throw error
    throw error instanceof AnswerTooLarge ? malformedFailure(error.message) : failureOfConnection(url, error)
  })
  if (response.ok) return response
  throw failureOfAnswer(response, await readText(response), Date.now())
}

const readAnswer = (answer: unknown, texts: readonly string[]): Embedded => {
  const embeddings = field(answer, "embeddings")
  const vectors = Array.isArray(embeddings) ? embeddings.map(vectorOf) : []
  if (vectors.length !== texts.length || vectors.some(({length}) => length !== vectors[0]?.length))
    throw malformedFailure("it does not have a vector for each text")
  const tokens = Number(field(field(answer, "usage"), "tokens"))
  const estimate = texts.reduce((sum, text) => sum + estimateText(text), 0)
  return {vectors, tokens: Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : estimate}
}

/** Returns the direction of what a provider says is a vector. */
const vectorOf = (values: unknown): Float32Array<ArrayBuffer> => {
  const isVector = Array.isArray(values) && values.length > 0 && values.length <= mostDimensions
  const numbers = isVector && values.every(value => typeof value === "number") ? values : []
  const length = Math.hypot(...numbers)
  if (!(length > 0) || !Number.isFinite(length)) throw malformedFailure("it has something that is no vector")
  return Float32Array.from(numbers, (value: number) => value / length)
}
