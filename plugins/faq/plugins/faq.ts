import {createHash} from "node:crypto"
import {b, type Content, definePlugin, markdown, type Session, Type, UserError} from "svc-runtime"
import {openBook} from "../lib/book.ts"
import {type Entry, findAnswer, search} from "../lib/entries.ts"
import {texts} from "../lib/texts.ts"

const Settings = Type.Object({
  file: Type.String({
    default: "faq.md",
    minLength: 1,
    description: "The Markdown file with the questions, from the project's folder",
  }),
  share: Type.Number({
    default: 1,
    minimum: 0.5,
    maximum: 1,
    description: "Which share of a phrase's words a message must have; 1 for all of them",
  }),
  cooldown: Type.Number({
    default: 5,
    minimum: 0,
    maximum: 1440,
    description: "For how many minutes the bot does not repeat an answer in a channel",
  }),
  channels: Type.Array(Type.String({minLength: 1}), {
    default: [],
    description: "The ids of the channels in which the bot answers messages; all channels if the list is empty",
  }),
})

/** The answers that a channel got, until their cooldown ends. */
const Recent = Type.Object({
  answers: Type.Array(Type.Object({key: Type.String(), until: Type.Number()}), {default: []}),
})

const mostListed = 20

const keyOf = ({question}: Entry): string => createHash("sha256").update(question).digest("hex").slice(0, 12)

export default definePlugin({
  description: "Answers questions by their words, from a Markdown file",
  config: Settings,
  setup(plugin, {file, share, cooldown, channels}) {
    const t = plugin.texts(texts)
    const recent = plugin.state("channel", Recent)
    const book = openBook(plugin.project, file, problem => plugin.log.error(`the questions are not read: ${problem}`))

    plugin.onStart(() => void book())

    /** Forgets the answers of a channel. */
    const forget = plugin.timer("forget", session => session.state(recent).delete())

    plugin.hears(/\S/, {name: "question", ...(channels.length > 0 ? {channel: channels} : {})}, async ({session}) => {
      const entry = findAnswer(book().entries, session.text.slice(0, 2000), share)
      if (entry === undefined) return
      if (cooldown > 0) {
        const [key, until] = [keyOf(entry), plugin.now() + cooldown * 60_000]
        const answers = (await session.state(recent).get()).answers.filter(each => each.until > plugin.now())
        if (answers.some(each => each.key === key)) return
        await session.state(recent).set({answers: [...answers, {key, until}]})
        await session.setTimer(forget, {at: until}, undefined, {key: `${session.endpoint} ${session.channel?.id}`})
      }
      await session.reply(markdown(entry.answer))
    })

    const listOf = (entries: readonly Entry[], session: Session): string => {
      const rows = entries.slice(0, mostListed).map(({question}) => `- ${question}`)
      const count = entries.length - rows.length
      return [...rows, ...(count > 0 ? [session.t(t, "more", {count, prefix: session.prefix})] : [])].join("\n")
    }

    plugin.command("faq [words:text]", {description: t.of("about")}, ({args, session}): Content => {
      const {entries, problem} = book()
      const found = args.words === undefined ? entries : search(entries, args.words)
      const [first] = found
      if (args.words !== undefined && first !== undefined && found.length === 1)
        return [b(first.question), "\n", markdown(first.answer)]
      const isModerator = session.permission !== "user"
      const note = problem !== undefined && isModerator ? [session.t(t, "broken", {problem})] : []
      if (first === undefined) {
        const unknown = () => session.t(t, "unknown", {prefix: session.prefix})
        const none = args.words === undefined ? session.t(t, "none") : unknown()
        throw new UserError([none, ...note].join("\n"))
      }
      return [session.t(t, args.words === undefined ? "list" : "several"), listOf(found, session), ...note].join("\n")
    })
  },
})
