import {describe, expect, test} from "vitest"
import {readContent} from "../../../../server/adapters/xmpp/content/read.ts"
import {renderContent} from "../../../../shared/sdk/sdk.ts"
import {parseXml} from "../../../support/platforms/xmpp/parse.ts"

const bot = {id: "bot@localhost", name: "bot", nick: "helper", occupant: "team@rooms.localhost/helper"}

const read = (inner: string) => renderContent(readContent(parseXml(`<message>${inner}</message>`), bot, "ann"))
const body = (text: string) => `<body>${text}</body>`
const reply = (id: string) => `<reply xmlns='urn:xmpp:reply:0' id='${id}'/>`
const fallback = (inner: string) => `<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'>${inner}</fallback>`
const mention = (begin: number, end: number, uri: string) =>
  `<reference xmlns='urn:xmpp:reference:0' type='mention' begin='${begin}' end='${end}' uri='${uri}'/>`
const oob = (url: string) => `<x xmlns='jabber:x:oob'><url>${url}</url></x>`

describe("an XMPP message as elements", () => {
  test.each([
    ["text", body("hello"), "hello"],
    [
      "text that looks like markup",
      body("&lt;at id=&quot;x&quot;/&gt; &amp; *b*"),
      "&lt;at id=&quot;x&quot;/&gt; &amp; *b*",
    ],
    ["lines", body("one\ntwo"), "one\ntwo"],
    ["no text", "<subject>news</subject>", ""],
    ["an action", body("/me waves"), "* ann waves"],
    ["the bot's nick at the start", body("Helper： help me"), '<at id="bot@localhost" name="bot"/>： help me'],
    ["the bot's nick within a word", body("helpers: hello"), "helpers: hello"],
    ["a reply", body("&gt; what?\nyes") + reply("m1") + fallback("<body start='0' end='8'/>"), '<quote id="m1"/>yes'],
    ["a reply without a repetition", body("yes") + reply("m1"), '<quote id="m1"/>yes'],
    ["a reply that only repeats", body("&gt; what?") + reply("m1") + fallback("<body/>"), '<quote id="m1"/>'],
    [
      "a range beyond the text",
      body("yes") + reply("m1") + fallback("<body start='0' end='9'/>"),
      '<quote id="m1"/>yes',
    ],
    ["an invalid range", body("yes") + reply("m1") + fallback("<body start='2' end='1'/>"), '<quote id="m1"/>yes'],
    ["a repetition of something else", body("yes") + fallback("<body start='0' end='3'/>"), "yes"],
    [
      "characters of two code units before a range",
      body("&gt; 😀\nyes") + reply("m1") + fallback("<body start='0' end='4'/>"),
      '<quote id="m1"/>yes',
    ],
    [
      "a mention",
      body("hi 😀 @cleo!") + mention(5, 10, "xmpp:cleo@localhost"),
      'hi 😀 <at id="cleo@localhost" name="cleo"/>!',
    ],
    [
      "a mention of the bot in the room",
      body("hi helper") + mention(3, 9, "xmpp:team@rooms.localhost/helper"),
      'hi <at id="bot@localhost" name="bot"/>',
    ],
    [
      "mentions that overlap",
      body("abcd") + mention(0, 3, "xmpp:a@b") + mention(1, 4, "xmpp:c@d"),
      '<at id="a@b" name="abc"/>d',
    ],
    ["a mention beyond the text", body("abcd") + mention(0, 9, "xmpp:a@b"), "abcd"],
    ["a mention of a web address", body("abcd") + mention(0, 4, "https://a.example"), "abcd"],
    ["a mention with a broken address", body("abcd") + mention(0, 4, "xmpp:%ff"), "abcd"],
    [
      "a file",
      body("https://up.example/1/a%20b.png") + oob("https://up.example/1/a%20b.png"),
      '<img src="https://up.example/1/a%20b.png" title="a b.png" type="image/png"/>',
    ],
    [
      "a file with a text",
      body("look") + oob("https://up.example/x"),
      'look<file src="https://up.example/x" title="x"/>',
    ],
    ["an address with another scheme", body("look") + oob("file:///etc/passwd"), "look"],
    ["an invalid address", body("look") + oob("https://"), "look"],
  ])("%s", (_, stanza, expected) => expect(read(stanza)).toBe(expected))
})
