import type {Page, Response} from "playwright-core"
import {Errors} from "typebox/schema"
import {expect} from "vitest"
import {type TestHost, whenOver} from "../host/host.ts"

interface Answer {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, {readonly schema: object}>>
}

/** The part of an OpenAPI document that is read here. */
export interface ApiAnswers {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, {readonly responses: Readonly<Record<string, Answer>>}>>>
  >
  readonly components: {readonly responses: Readonly<Record<string, Answer>>}
}

/** An answer of the Host, and what asked for it. */
export interface Answered {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  readonly type: string
  readonly body: unknown
}

const isPathOf = (template: string, path: string): boolean =>
  new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)

/** Returns how a JSON answer violates the document. */
export const violationsOf = (document: ApiAnswers, {method, path, status, type, body}: Answered): readonly string[] => {
  const {paths, components} = document
  const methods = paths[path] ?? Object.entries(paths).find(([template]) => isPathOf(template, path))?.[1]
  // Any route answers so while the Host starts or stops, or without the route's plugin.
  if (status === 503 || (status === 404 && methods === undefined)) return []
  const answer = methods?.[method.toLowerCase()]?.responses[status]
  const {content} = answer?.$ref === undefined ? (answer ?? {}) : (components.responses[answer.$ref.slice(23)] ?? {})
  const schema = content?.[type]?.schema
  if (schema === undefined) return [`${method} ${path}: the document has no answer ${status} of ${type}`]
  const [isRight, errors] = Errors({...schema, components}, body)
  return isRight
    ? []
    : errors.map(({instancePath, message}) => `${method} ${path}: ${status}${instancePath} ${message}`)
}

/** Expects every JSON answer of the Host's API to a page to be in its OpenAPI document. */
export const expectDocumentedAnswers = async (page: Page, host: TestHost): Promise<void> => {
  const document = await host.get<ApiAnswers>("/api/openapi.json")
  const checks: Promise<readonly string[]>[] = []
  page.on("response", response => {
    if (response.url().startsWith(`${host.url}/api/`)) checks.push(check(document, response))
  })
  whenOver(async () => expect([...new Set((await Promise.all(checks)).flat())]).toEqual([]))
}

const check = async (document: ApiAnswers, response: Response): Promise<readonly string[]> => {
  const type = response.headers()["content-type"] ?? ""
  if (!/^application\/(problem\+)?json$/.test(type)) return []
  // A closed page has no body.
  const body: unknown = await response.json().catch(() => undefined)
  const {pathname: path} = new URL(response.url())
  const answered = {method: response.request().method(), path, status: response.status(), type, body}
  return body === undefined ? [] : violationsOf(document, answered)
}
