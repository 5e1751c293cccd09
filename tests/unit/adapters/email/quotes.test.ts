import {expect, test} from "vitest"
import {readHtml} from "../../../../server/adapters/email/content/html.ts"
import {withoutQuotes} from "../../../../server/adapters/email/content/text.ts"
import {textOf} from "../../../../shared/sdk/sdk.ts"

/** What mail programs write around an earlier mail. The texts are ours, in the shape that each program gives them. */
const own = "!deploy web"
const subject = "Re: Deploy"
const ann = "Ann Berg <ann@people.test>"
const bot = "Bot <bot@svc.test>"

type Labels = readonly [from: string, sent: string, to: string, subject: string, date: string]

const outlook: Readonly<Record<string, Labels>> = {
  en: ["From:", "Sent:", "To:", "Subject:", "Monday, January 1, 2024 10:00 AM"],
  de: ["Von:", "Gesendet:", "An:", "Betreff:", "Montag, 1. Januar 2024 10:00"],
  fr: ["De :", "Envoyé :", "À :", "Objet :", "lundi 1 janvier 2024 10:00"],
  es: ["De:", "Enviado el:", "Para:", "Asunto:", "lunes, 1 de enero de 2024 10:00"],
  pt: ["De:", "Enviada em:", "Para:", "Assunto:", "segunda-feira, 1 de janeiro de 2024 10:00"],
  it: ["Da:", "Inviato:", "A:", "Oggetto:", "lunedì 1 gennaio 2024 10:00"],
  nl: ["Van:", "Verzonden:", "Aan:", "Onderwerp:", "maandag 1 januari 2024 10:00"],
  pl: ["Od:", "Wysłano:", "Do:", "Temat:", "poniedziałek, 1 stycznia 2024 10:00"],
  sv: ["Från:", "Skickat:", "Till:", "Ämne:", "den 1 januari 2024 10:00"],
  fi: ["Lähettäjä:", "Lähetetty:", "Vastaanottaja:", "Aihe:", "maanantai 1. tammikuuta 2024 10.00"],
  cs: ["Od:", "Odesláno:", "Komu:", "Předmět:", "pondělí 1. ledna 2024 10:00"],
  tr: ["Kimden:", "Gönderildi:", "Kime:", "Konu:", "1 Ocak 2024 Pazartesi 10:00"],
  ru: ["От:", "Отправлено:", "Кому:", "Тема:", "1 января 2024 г. 10:00"],
  el: ["Από:", "Στάλθηκε:", "Προς:", "Θέμα:", "Δευτέρα, 1 Ιανουαρίου 2024 10:00 πμ"],
  he: ["מאת:", "נשלח:", "אל:", "נושא:", "יום שני 01 ינואר 2024 10:00"],
  ja: ["差出人:", "送信日時:", "宛先:", "件名:", "2024年1月1日 10:00"],
  zh: ["发件人：", "发送时间：", "收件人：", "主题：", "2024年1月1日 10:00"],
  ko: ["보낸 사람:", "보낸 날짜:", "받는 사람:", "제목:", "2024년 1월 1일 월요일 오전 10:00"],
}

const gmail: Readonly<Record<string, string>> = {
  en: `On Mon, Jan 1, 2024 at 10:00 AM ${ann} wrote:`,
  de: `Am Mo., 1. Jan. 2024 um 10:00 Uhr schrieb ${ann}:`,
  fr: `Le lun. 1 janv. 2024 à 10:00, ${ann} a écrit :`,
  es: `El lun, 1 ene 2024 a las 10:00, Ann Berg (<ann@people.test>) escribió:`,
  pt: `Em seg., 1 de jan. de 2024 às 10:00, ${ann} escreveu:`,
  it: `Il giorno lun 1 gen 2024 alle ore 10:00 ${ann} ha scritto:`,
  nl: `Op ma 1 jan 2024 om 10:00 schreef ${ann}:`,
  pl: `pon., 1 sty 2024 o 10:00 ${ann} napisał(a):`,
  sv: `Den mån 1 jan. 2024 kl 10:00 skrev ${ann}:`,
  fi: `ma 1. tammik. 2024 klo 10.00 Ann Berg (ann@people.test) kirjoitti:`,
  cs: `po 1. 1. 2024 v 10:00 odesílatel ${ann} napsal:`,
  tr: `${ann}, 1 Oca 2024 Pzt, 10:00 tarihinde şunu yazdı:`,
  ru: `пн, 1 янв. 2024 г. в 10:00, ${ann}:`,
  he: `\u202bבתאריך יום ב׳, 1 בינו׳ 2024 ב-10:00 מאת \u202aAnn Berg\u202c\u200f <\u202aann@people.test\u202c\u200f>:\u202c`,
  ar: `في الاثنين، ١ يناير ٢٠٢٤ في ١٠:٠٠ ص تمت كتابة ما يلي بواسطة ${ann}:`,
  ja: `2024年1月1日(月) 10:00 ${ann}:`,
  zh: `${ann} 于2024年1月1日周一 10:00写道：`,
  ko: `2024년 1월 1일 (월) 오전 10:00, ${ann}님이 작성:`,
}

const each = <T>(what: string, table: Readonly<Record<string, T>>, text: (value: T) => string) =>
  Object.entries(table).map(([language, value]) => [`${what}, ${language}`, text(value)] as const)

const headOf = ([from, sent, to, about, date]: Labels, sender = ann, receiver = bot) =>
  [`${from} ${sender}`, `${sent} ${date}`, `${to} ${receiver}`, `${about} Deploy`].join("\n")
const escaped = (text: string) => text.replaceAll("<", "&lt;").replaceAll(">", "&gt;")
const boldHead = (labels: Labels) =>
  headOf(labels)
    .split("\n")
    .map(line => escaped(line).replace(/^([^:：]*[:：])/, "<b>$1</b>"))
    .join("<br>")
const {en, de, ru, ja, zh, sv} = outlook as Readonly<Record<"en" | "de" | "ru" | "ja" | "zh" | "sv", Labels>>

const plain: readonly (readonly [string, string])[] = [
  ...each("Outlook", outlook, labels => `${headOf(labels)}\n\nold\n`),
  ...each(
    "Outlook without addresses",
    {en, de, sv, ru, ja, zh},
    labels => `${headOf(labels, "Ann Berg", "Bot")}\n\nold\n`,
  ),
  ...each("Outlook on a telephone", {en, ru}, labels => `${"_".repeat(32)}\n${headOf(labels)}\n\nold\n`),
  ["Outlook as Gmail shows it", `${headOf(sv).replace(/^([^:]*:)/gm, "*$1*")}\n\nold\n`],
  ["Outlook with many receivers", `${headOf(ru, ann, `${bot};\nBo <bo@people.test>; Cy <cy@people.test>`)}\n\nold\n`],
  ["Outlook's divider, Polish", `-----Oryginalna wiadomość-----\n${headOf(outlook.pl ?? en, "Ann")}\n\nold\n`],
  ["QQ", `------------------ 原始邮件 ------------------\n${headOf(zh, '"Ann"<ann@people.test>')}\n\nold\n`],
  ...each("Gmail", gmail, line => `${line}\n\n> old\n> older\n`),
  ["Gmail in two lines, Russian", `пн, 1 янв. 2024 г. в 10:00, Ann Berg\n<ann@people.test>:\n\n> old\n`],
  ["Apple Mail", "> On 1. Jan 2024, at 10:00, Ann Berg <ann@people.test> wrote:\n> \n> old\n"],
  ["Apple Mail, Danish", `> Den 1. jan. 2024 kl. 10.00 skrev ${ann}:\n> \n> old\n`],
  ["Thunderbird", "On 1/1/24 10:00, Ann Berg wrote:\n> old\n"],
  ["Thunderbird, Turkish", "1.01.2024 10:00 tarihinde Ann Berg yazdı:\n> old\n"],
  ["Thunderbird, Ukrainian", "01.01.24 10:00, Ann Berg пише:\n> old\n"],
  ["Yahoo", `  On Monday, January 1, 2024 at 10:00:00 AM GMT+1, ${ann} wrote:  \n \n old\n`],
  ["Yahoo, Greek", `  Στις Δευτέρα 1 Ιανουαρίου 2024 στις 10:00:00 π.μ. EET, ο χρήστης ${ann} έγραψε:  \n \n old\n`],
  ["Yandex", '01.01.2024, 10:00, "Ann Berg" <ann@people.test>:\n> old\n'],
]

const quote = (line: string) => `${escaped(line)}<br>`
const html: readonly (readonly [string, string])[] = [
  ...each("Outlook", outlook, labels => {
    const style = "border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"
    return `<div><div style="${style}"><p class="MsoNormal">${boldHead(labels)}<o:p></o:p></p></div></div><p>old</p>`
  }),
  ["Outlook on the web", `<hr tabindex="-1"><div id="divRplyFwdMsg"><font>${boldHead(sv)}</font></div><div>old</div>`],
  ["Outlook on a telephone", `<div id="mail-editor-reference"></div><hr><div>${boldHead(ja)}</div><br><div>old</div>`],
  ...each(
    "Gmail",
    gmail,
    line =>
      `<br><div class="gmail_quote"><div class="gmail_attr">${quote(line)}</div><blockquote class="gmail_quote">old</blockquote></div>`,
  ),
  [
    "Apple Mail",
    `<div><br><blockquote type="cite"><div>${quote(gmail.en ?? "")}</div><div>old</div></blockquote></div>`,
  ],
  [
    "Apple Mail, the line above",
    `<div>${quote(gmail.tr ?? "")}</div><br><blockquote type="cite"><div>old</div></blockquote>`,
  ],
  [
    "Thunderbird",
    '<div class="moz-cite-prefix">On 1/1/24 10:00, Ann wrote:<br></div><blockquote type="cite">old</blockquote>',
  ],
  ["Yahoo", `<div class="yahoo_quoted"><div>${quote(gmail.en ?? "")}</div><div>old</div></div>`],
  ["Yandex", `<div>01.01.2024, 10:00, "Ann" &lt;ann@people.test&gt;:</div><blockquote><p>old</p></blockquote>`],
  [
    "mail.ru",
    `<blockquote style="border-left:1px solid">Понедельник, 1 января 2024, 10:00 +03:00 от ${escaped(ann)}:<br>old</blockquote>`,
  ],
  [
    "GMX",
    `<div name="quote"><div><b>Gesendet:</b>&nbsp;Montag, 01. Januar 2024 um 10:00 Uhr<br/><b>Von:</b>&nbsp;${escaped(ann)}<br/><b>An:</b>&nbsp;bot@svc.test<br/><b>Betreff:</b>&nbsp;Deploy</div><div>old</div></div>`,
  ],
  [
    "Proton",
    `<div class="protonmail_quote">On Monday, ${escaped(ann)} wrote:<blockquote class="protonmail_quote" type="cite">old</blockquote></div>`,
  ],
  ["QQ", `<div>------------------&nbsp;原始邮件&nbsp;------------------</div><div>${boldHead(zh)}</div><div>old</div>`],
]

test.each(plain)("a quotation is no part of the text: %s", (_, quoted) => {
  expect(withoutQuotes(`${own}\n\n${quoted}`, subject)).toBe(own)
})

const read = (text: string) => textOf(readHtml(text, () => undefined, subject)).trim()

test.each(html)("a quotation is no part of the HTML: %s", (_, quoted) => {
  expect(read(`<html><body><div>${own}</div>${quoted}</body></html>`)).toBe(own)
})

test.each([
  ["a sentence about a header", 'The mail says "From: Ann", sent on 1/1/2024 10:00.\nWhy?'],
  ["a list with colons", "The servers:\n\nName: web1\nOwner: Ann\nPort: 80\nZone: eu"],
  ["a list with a date and an address", `Event: Launch\nDate: 1 May 2024 10:00\nContact: ${ann}\nPlace: Hall`],
  ["a form", "Reporter: ann@people.test\nSeen: 2024-05-01 10:00\nHost: web1\nError: 500"],
  ["a question that ends in a colon", "Can you restart these by 2024-05-01, 10:00:\n\nweb1\nweb2"],
  ["an introduction of own words", "Ann asked on 3 May 2024 at 10:00 for this:\n\none\ntwo"],
  ["a heading between hyphens", "--- Contacts ---\nAnn: first\nBo: second\n\nthird"],
  ["a mail passed on by Outlook", `${headOf(de)}\n\nold`],
  ["a mail passed on by Gmail", `---------- Forwarded message ---------\n${headOf(sv)}\n\nold`],
  ["a mail passed on by Apple Mail", `Anfang der Nachricht:\n\n> ${headOf(de).replaceAll("\n", "\n> ")}\n>\n> old`],
])("nothing is taken from the text: %s", (_, text) => expect(withoutQuotes(text, subject)).toBe(text))

test.each([
  ["a quotation by the writer", "See<blockquote>Be kind.</blockquote>", "See\n\nBe kind."],
  ["a sign that the writer made", "<div>&gt; 5 hosts</div><div>why?</div>", "> 5 hosts\nwhy?"],
  ["words below a quotation", `<div>${quote(gmail.ru ?? "")}</div><blockquote type="cite">old</blockquote>${own}`, own],
  [
    "a mail passed on by Gmail",
    `<div class="gmail_quote"><div class="gmail_attr">${escaped(headOf(sv)).replaceAll("\n", "<br>")}</div>old</div>`,
    `${headOf(sv)}\nold`,
  ],
  [
    "a mail passed on by Outlook",
    `<hr><div id="divRplyFwdMsg">${boldHead(ru)}</div><div>old</div>`,
    `${headOf(ru)}\nold`,
  ],
])("nothing of the writer is taken from the HTML: %s", (_, text, expected) => {
  expect(read(text)).toBe(expected)
})

test("a picture in a quotation stays a file", () => {
  const asked: string[] = []
  const imageOf = (cid: string) => void asked.push(cid)
  readHtml(`${own}<img src="cid:one"><p>${boldHead(ja)}</p><img src="cid:two">`, imageOf, subject)
  expect(asked).toEqual(["one"])
})
