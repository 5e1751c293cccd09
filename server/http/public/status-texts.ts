import type {LabelState, StatusPage} from "../../../shared/api/metrics/status-page.ts"
import {closestLanguage, languageTag} from "../../../shared/language.ts"

interface Texts {
  readonly overall: Readonly<Record<StatusPage["state"], string>>
  readonly states: Readonly<Record<LabelState, string>>
  readonly uptime: string
  readonly spans: Readonly<Record<keyof StatusPage["labels"][number]["uptime"], string>>
  readonly unknown: string
  /** Explains the figures to the reader. */
  readonly counted: string
  readonly asOf: string
  readonly asJson: string
}

/** The texts of the status page by language. The operator's own texts are not translated. */
export const texts = {
  en: {
    overall: {
      up: "Everything is up",
      "partly down": "Partly down",
      down: "Everything is down",
      paused: "Paused: messages wait",
      starting: "Starting",
    },
    states: {up: "Up", paused: "Paused", down: "Down"},
    uptime: "Uptime",
    spans: {"24h": "24 hours", "7d": "7 days", "30d": "30 days", "90d": "90 days"},
    unknown: "not recorded",
    counted: "Uptime counts pauses and restarts as down.",
    asOf: "As of",
    asJson: "As JSON",
  },
  de: {
    overall: {
      up: "Alles läuft",
      "partly down": "Ein Teil ist ausgefallen",
      down: "Alles ist ausgefallen",
      paused: "Angehalten: Nachrichten warten",
      starting: "Startet gerade",
    },
    states: {up: "Läuft", paused: "Angehalten", down: "Ausgefallen"},
    uptime: "Verfügbarkeit",
    spans: {"24h": "24 Stunden", "7d": "7 Tage", "30d": "30 Tage", "90d": "90 Tage"},
    unknown: "nicht erfasst",
    counted: "Pausen und Neustarts zählen als Ausfall.",
    asOf: "Stand",
    asJson: "Als JSON",
  },
  zh: {
    overall: {
      up: "一切正常",
      "partly down": "部分服务中断",
      down: "全部服务中断",
      paused: "已暂停：消息等待处理",
      starting: "正在启动",
    },
    states: {up: "正常", paused: "已暂停", down: "中断"},
    uptime: "可用率",
    spans: {"24h": "24 小时", "7d": "7 天", "30d": "30 天", "90d": "90 天"},
    unknown: "无记录",
    counted: "暂停和重启按中断计算。",
    asOf: "截至",
    asJson: "JSON 格式",
  },
  es: {
    overall: {
      up: "Todo funciona",
      "partly down": "Una parte no funciona",
      down: "Nada funciona",
      paused: "En pausa: los mensajes esperan",
      starting: "Arrancando",
    },
    states: {up: "Funciona", paused: "En pausa", down: "No funciona"},
    uptime: "Disponibilidad",
    spans: {"24h": "24 horas", "7d": "7 días", "30d": "30 días", "90d": "90 días"},
    unknown: "sin datos",
    counted: "Las pausas y los reinicios cuentan como caídas.",
    asOf: "Actualizado",
    asJson: "Como JSON",
  },
} as const satisfies Readonly<Record<string, Texts>>

export type Language = keyof typeof texts

const languages = Object.keys(texts) as Language[]

/** The longest `Accept-Language` header that is read completely; browsers name only a few languages. */
const longest = 500

/** The page's language for an `Accept-Language` header (RFC 9110, 12.5.4); English if the header names none of them. */
export const languageFor = (accepted: string | null): Language => {
  const wanted = (accepted ?? "")
    .slice(0, longest)
    .split(",")
    .map(part => {
      const [tag = "", ...parameters] = part.split(";").map(each => each.trim())
      const quality = parameters.find(each => each.startsWith("q="))?.slice(2)
      return {tag: languageTag(tag), quality: quality === undefined ? 1 : Number(quality)}
    })
    .filter(({quality}) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
  for (const {tag} of wanted) {
    const closest = tag === undefined ? undefined : closestLanguage(languages, tag)
    if (closest !== undefined) return closest as Language
  }
  return "en"
}
