import type {AlertSettings, AlertTarget, QuietSettings} from "../../shared/config/alerts.ts"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {languageTag, noLanguage} from "../../shared/language.ts"
import type {Issue} from "../../shared/problems.ts"
import {isTimezone} from "../../shared/timezone.ts"
import type {Path} from "../runtime/text/path.ts"
import {didYouMean} from "../runtime/text/suggest.ts"
import {checkRules, findCovered, oneEndpoint} from "./check-rules.ts"
import type {Source} from "./text/source.ts"

/** Checks what no single key can express: keys that belong together. */
export const crossCheck = (source: Source, config: ProjectConfig): Issue[] => {
  const {database, plugins, http, permissions, languages, alerts} = config
  return [
    ...checkRules(source, permissions),
    ...checkTokens(source, http),
    ...checkLanguages(source, languages),
    ...checkStatus(source, config),
    ...checkModels(source, config),
    ...checkAlerts(source, alerts),
    ...checkDatabase(source, database),
    ...Object.entries(plugins).flatMap(([name, {endpoints}]) => {
      const ids = new Set<string>()
      return endpoints.flatMap(({id}, index) =>
        ids.size < ids.add(id).size
          ? []
          : [source.issue(["plugins", name, "endpoints", index, "id"], `the id "${id}" is used twice`)],
      )
    }),
  ]
}

const checkDatabase = (source: Source, {dialect, url, filename, authToken}: ProjectConfig["database"]): Issue[] => {
  const wrong = (key: string, message: string) => source.issue(["database", key], message, "key")
  if (dialect === "sqlite") {
    const given = Object.entries({url, authToken}).filter(([, value]) => value !== undefined)
    return given.map(([key]) => wrong(key, "applies only to dialect libsql"))
  }
  return [
    ...(url === undefined ? [wrong("url", "is missing; dialect libsql needs the address of the database")] : []),
    ...(filename === undefined ? [] : [wrong("filename", "applies only to dialect sqlite; dialect libsql uses url")]),
  ]
}

/** Requires a model. The keys of one at the top of a binding need both its provider and its name. */
const checkModels = (source: Source, {agents}: ProjectConfig): Issue[] =>
  Object.entries(agents).flatMap(([name, {provider, model, baseURL, key, prices, models}]) => {
    const top = Object.entries({provider, model, baseURL, key, prices}).filter(([, value]) => value !== undefined)
    const isWhole = provider !== undefined && model !== undefined
    if (isWhole || (top.length === 0 && models.length > 0)) return []
    const missing = provider === undefined ? "provider" : "model"
    return [source.issue(["agents", name, missing], "is missing; an agent needs provider and model, or models", "key")]
  })

const kinds = ["endpoint", "plugin", "agent"] as const

/** Checks the labels of `status` without knowing the endpoints. */
const checkStatus = (source: Source, {status, plugins, agents}: ProjectConfig): Issue[] =>
  status.labels.flatMap((label, index) => {
    const at = ["status", "labels", index]
    const [first, second] = kinds.filter(kind => label[kind] !== undefined)
    const isUnknown = (kind: "plugin" | "agent", known: object) =>
      label[kind] === undefined || Object.hasOwn(known, label[kind])
        ? []
        : [source.issue([...at, kind], noSuch(kind, label[kind], Object.keys(known)))]
    const isTaken = status.labels.slice(0, index).some(other => other.label === label.label)
    return [
      ...(second === undefined
        ? []
        : [source.issue([...at, second], `a label names one thing, and this one already names its ${first}`, "key")]),
      ...(isTaken ? [source.issue([...at, "label"], `the label "${label.label}" is used twice`)] : []),
      ...(label.endpoint === "*"
        ? [source.issue([...at, "endpoint"], "expected the name of one endpoint; leave it out for the whole bot")]
        : []),
      ...isUnknown("plugin", plugins),
      ...isUnknown("agent", agents),
    ]
  })

const noSuch = (kind: string, name: string, known: readonly string[]): string =>
  `there is no ${kind} "${name}"${didYouMean(name, known)}`

/** Requires different tokens, and for a previous token also a new one and a valid end. */
const checkTokens = (source: Source, {token, previousToken, demoToken}: ProjectConfig["http"]): Issue[] => {
  const issues: Issue[] = []
  const demo = demoToken?.reveal()
  if (token !== undefined && token.reveal() === demo) {
    issues.push(source.issue(["http", "demoToken"], "is the same as http.token; give observers a different token"))
  }
  if (previousToken === undefined) return issues
  const previous = previousToken.token.reveal()
  const refuse = (key: string, message: string) =>
    void issues.push(source.issue(["http", "previousToken", key], message))
  if (token === undefined) refuse("token", "needs the new token in http.token as well")
  if (token?.reveal() === previous) {
    refuse("token", "is the same as http.token; set http.token to the new token and this key to the old one")
  }
  if (demo === previous) refuse("token", "is the same as http.demoToken, whose holders would get the full scope")
  if (Number.isNaN(Date.parse(previousToken.until))) refuse("until", "is not a valid date and time")
  return issues
}

/** Checks what `languages` contains: invalid tags, duplicate languages, and rules that never apply. */
const checkLanguages = (source: Source, {default: fallback, offer, rules, texts}: Languages): Issue[] => {
  const at = (...path: Path): Path => ["languages", ...path]
  const checkTag = (tag: string, path: Path, where: "key" | "value" = "value") =>
    languageTag(tag) === undefined ? [source.issue(path, noLanguage(tag), where)] : []
  return [
    ...checkTag(fallback, at("default")),
    ...(offer ?? []).flatMap((tag, index) => checkTag(tag, at("offer", index))),
    ...rules.flatMap(({language}, index) => checkTag(language, at("rules", index, "language"))),
    ...Object.keys(texts).flatMap(tag => checkTag(tag, at("texts", tag), "key")),
    ...twice(Object.keys(texts)).map(tag => source.issue(at("texts", tag), "the language is listed twice", "key")),
    ...findCovered(
      source,
      at("rules"),
      rules.map(rule => [oneEndpoint(rule), rule.channel]),
    ),
  ]
}

type Languages = ProjectConfig["languages"]

const twice = (tags: readonly string[]): readonly string[] => {
  const known = new Set<string>()
  return tags.filter(tag => {
    const same = languageTag(tag)
    return same !== undefined && known.size === known.add(same).size
  })
}

/** Checks what no single key of `alerts` can express: where each target sends, and the quiet hours. */
const checkAlerts = (source: Source, {targets, quiet}: AlertSettings): Issue[] => [
  ...Object.entries(targets).flatMap(([name, target]) => checkTarget(source, ["alerts", "targets", name], target)),
  ...checkQuiet(source, quiet),
]

const checkTarget = (source: Source, at: Path, {endpoint, channel, webhook, email}: AlertTarget): Issue[] => {
  const wrong = (keys: Path, message: string) => [source.issue([...at, ...keys], message, "key")]
  const isChannel = endpoint !== undefined || channel !== undefined
  const kinds = [isChannel, webhook !== undefined, email !== undefined].filter(Boolean).length
  if (kinds !== 1) return wrong([], "needs exactly one of: endpoint with channel, webhook, email")
  if (isChannel && endpoint === undefined) return wrong(["endpoint"], "is missing; a channel belongs to an endpoint")
  if (isChannel && channel === undefined) return wrong(["channel"], "is missing; name the channel of the endpoint")
  const secret = webhook?.secret?.reveal()
  if (secret !== undefined && !isSigningSecret(secret)) {
    const message = "is not base64 of 24 to 64 bytes; use whsec_ followed by the output of openssl rand -base64 32"
    return [source.issue([...at, "webhook", "secret"], message)]
  }
  const {smtp} = email ?? {}
  if (smtp !== undefined && (smtp.user === undefined) !== (smtp.password === undefined))
    return wrong(["email", "smtp"], "needs both user and password, or neither")
  return []
}

const isSigningSecret = (text: string): boolean => {
  const value = text.replace(/^whsec_/, "")
  const {length} = Buffer.from(value, "base64")
  return /^[A-Za-z0-9+/]+={0,2}$/.test(value) && value.length % 4 === 0 && length >= 24 && length <= 64
}

const checkQuiet = (source: Source, {zone, hours}: QuietSettings): Issue[] => [
  ...(isTimezone(zone) ? [] : [source.issue(["alerts", "quiet", "zone"], `there is no time zone "${zone}"`)]),
  ...hours.flatMap(({from, to}, index) => {
    const message = "is the same time as from; for a whole day, use 00:00 to 24:00"
    return from === to ? [source.issue(["alerts", "quiet", "hours", index, "to"], message)] : []
  }),
]
