/** Slack has its own names for Unicode emoji. These are the ones that bots use most. */
const table = `👍 +1 👎 -1 ❤ heart 😂 joy 😄 smile 😀 grinning 😃 smiley 😊 blush 🙂 slightly_smiling_face 😉 wink 😍 heart_eyes
😘 kissing_heart 😎 sunglasses 🤔 thinking_face 😢 cry 😭 sob 😡 rage 😱 scream 😅 sweat_smile 😆 laughing 🤣 rolling_on_the_floor_laughing
🙄 face_with_rolling_eyes 😴 sleeping 😇 innocent 🤯 exploding_head 🥳 partying_face 🥺 pleading_face 🤷 shrug 🤦 face_palm 🙏 pray
👏 clap 🙌 raised_hands 👋 wave 👌 ok_hand ✌ v 💪 muscle 👀 eyes 🤝 handshake ✋ hand 🔥 fire ⭐ star 🌟 star2 ✨ sparkles ⚡ zap
💯 100 🎉 tada 🎊 confetti_ball 🎁 gift 🎂 birthday 🏆 trophy 🥇 first_place_medal 🚀 rocket ☕ coffee 🍕 pizza 🍺 beer 🍻 beers
✅ white_check_mark ☑ ballot_box_with_check ✔ heavy_check_mark ❌ x ❎ negative_squared_cross_mark ⛔ no_entry 🚫 no_entry_sign
⚠ warning ❗ exclamation ❓ question 💡 bulb 📌 pushpin 📝 memo 📅 date ⏰ alarm_clock ⏳ hourglass_flowing_sand ⌛ hourglass
🔒 lock 🔓 unlock 🔑 key 🔔 bell 🔕 no_bell 🔁 repeat 🔄 arrows_counterclockwise ➕ heavy_plus_sign ➖ heavy_minus_sign
🆗 ok 🆕 new 🐛 bug 🤖 robot_face 👻 ghost 💀 skull 💩 hankey 🙈 see_no_evil 🐱 cat 🐶 dog 🦄 unicorn_face 🌈 rainbow ☀ sunny
🌍 earth_africa 💔 broken_heart 💙 blue_heart 💚 green_heart 💛 yellow_heart 💜 purple_heart 🖤 black_heart 🎲 game_die 🎵 musical_note
0⃣ zero 1⃣ one 2⃣ two 3⃣ three 4⃣ four 5⃣ five 6⃣ six 7⃣ seven 8⃣ eight 9⃣ nine 🔟 keycap_ten`

const words = table.split(/\s+/)
const pairs = words.flatMap((word, place): [string, string][] =>
  place % 2 === 0 ? [[word, words[place + 1] ?? ""]] : [],
)
const names: ReadonlyMap<string, string> = new Map(pairs)
const characters: ReadonlyMap<string, string> = new Map(pairs.map(([character, name]) => [name, character]))

/**
 * Returns Slack's name of an emoji, given as its character, as `name` or as `:name:`; undefined for a character without
 * a name here.
 */
export const emojiName = (emoji: string): string | undefined => {
  const name = names.get(emoji.replaceAll("\uFE0F", ""))
  if (name !== undefined) return name
  const [, given] = /^:?([\p{L}\p{N}_+'-]{1,100}(?:::skin-tone-[2-6])?):?$/u.exec(emoji) ?? []
  return given
}

/** Returns the character of an emoji, or `:name:` if it has none here. */
export const emojiText = (name: string): string => characters.get(name) ?? `:${name}:`
