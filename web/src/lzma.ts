/**
 * Unpacks what the page carries as text. LZMA leaves a third less of the engine than what browsers unpack by themselves,
 * and 91 letters a fifth less than base64.
 *
 * The stream is that of a .lzma file: a byte of properties, four of the dictionary's size, eight of the length, which
 * stand for "up to the end mark" if all are 255, and the bits. Names are those of the LZMA specification by Igor Pavlov.
 */

/** Two letters are 13 bits. Letters are printable ASCII without `&`, `<` and `\`; scripts/playground.py writes them. */
export function bytesOf(text: string): Uint8Array {
  const digits = new Uint8Array(128);
  for (let code = 33, digit = 0; code < 127; code += 1) if (code !== 38 && code !== 60 && code !== 92) digits[code] = digit++;
  const bytes = new Uint8Array(Math.floor((text.length / 2) * 13 / 8));
  let rest = 0, bits = 0, at = 0;
  for (let n = 0; n + 1 < text.length; n += 2) {
    rest |= (digits[text.charCodeAt(n)]! + 91 * digits[text.charCodeAt(n + 1)]!) << bits;
    for (bits += 13; bits > 7; bits -= 8) {
      bytes[at++] = rest;
      rest >>>= 8;
    }
  }
  return bytes;
}

const HALF = 1024;
const HEADER = 13;

/** A binary tree of probabilities for each of several contexts. */
const trees = (many: number, bits: number): Uint16Array => new Uint16Array(many << bits).fill(HALF);

/** The content of a .lzma file with an end mark. Throws where the bytes are no such file. */
export function unlzma(packed: Uint8Array): Uint8Array {
  const properties = packed[0]!;
  const lc = properties % 9, lp = Math.floor(properties / 9) % 5, pb = Math.floor(properties / 45);
  let out = new Uint8Array(packed.length * 6), size = 0;
  let range = -1 >>> 0, code = 0, at = HEADER + 1;
  for (let n = 0; n < 4; n += 1) code = ((code << 8) | packed[at++]!) >>> 0;

  function bit(tree: Uint16Array, index: number): number {
    const odds = tree[index]!, bound = (range >>> 11) * odds;
    let found = 0;
    if (code < bound) {
      range = bound;
      tree[index] = odds + ((2048 - odds) >>> 5);
    } else {
      range -= bound;
      code -= bound;
      tree[index] = odds - (odds >>> 5);
      found = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | packed[at++]!) >>> 0;
    }
    return found;
  }

  function number(tree: Uint16Array, base: number, bits: number): number {
    let found = 1;
    for (let n = 0; n < bits; n += 1) found = (found << 1) | bit(tree, base + found);
    return found - (1 << bits);
  }

  function reversed(tree: Uint16Array, base: number, bits: number): number {
    let node = 1, found = 0;
    for (let n = 0; n < bits; n += 1) {
      const one = bit(tree, base + node);
      node = (node << 1) | one;
      found |= one << n;
    }
    return found;
  }

  function direct(bits: number): number {
    let found = 0;
    for (let n = 0; n < bits; n += 1) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one === 1) code -= range;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | packed[at++]!) >>> 0;
      }
      found = found * 2 + one;
    }
    return found;
  }

  interface Lengths { choice: Uint16Array; low: Uint16Array; mid: Uint16Array; high: Uint16Array }
  const lengths = (): Lengths => ({ choice: trees(2, 0), low: trees(16, 3), mid: trees(16, 3), high: trees(1, 8) });
  function length({ choice, low, mid, high }: Lengths, state: number): number {
    if (bit(choice, 0) === 0) return 2 + number(low, state << 3, 3);
    if (bit(choice, 1) === 0) return 10 + number(mid, state << 3, 3);
    return 18 + number(high, 0, 8);
  }

  const literals = trees(3 << (lc + lp), 8), slots = trees(4, 6), aligned = trees(1, 4), places = trees(1, 7);
  const isMatch = trees(12, 4), isRep0Long = trees(12, 4);
  const isRep = trees(12, 0), isRepG0 = trees(12, 0), isRepG1 = trees(12, 0), isRepG2 = trees(12, 0);
  const matches = lengths(), repeats = lengths();
  let state = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;

  function literal(): number {
    const before = size > 0 ? out[size - 1]! : 0;
    const base = 0x300 * (((size & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
    let node = 1;
    if (state >= 7) {
      let matched = out[size - rep0 - 1]!;
      while (node < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const one = bit(literals, base + ((1 + expected) << 8) + node);
        node = (node << 1) | one;
        if (one !== expected) break;
      }
    }
    while (node < 0x100) node = (node << 1) | bit(literals, base + node);
    return node & 0xff;
  }

  function distance(long: number): number {
    const slot = number(slots, Math.min(long - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + reversed(places, base - slot, bits);
    return base + direct(bits - 4) * 16 + reversed(aligned, 0, 4);
  }

  function room(more: number): void {
    if (size + more <= out.length) return;
    const larger = new Uint8Array(2 * out.length + more);
    larger.set(out);
    out = larger;
  }

  for (;;) {
    if (at > packed.length) throw new Error("the packed engine ends too early");
    const place = size & ((1 << pb) - 1);
    if (bit(isMatch, (state << 4) + place) === 0) {
      room(1);
      out[size] = literal();
      size += 1;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let long: number;
    if (bit(isRep, state) === 0) {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      long = length(matches, place);
      state = state < 7 ? 7 : 10;
      rep0 = distance(long);
      if (rep0 === 0xffffffff) return out.slice(0, size);
    } else {
      if (bit(isRepG0, state) === 0) {
        long = bit(isRep0Long, (state << 4) + place) === 0 ? 1 : 0;
      } else {
        long = 0;
        let chosen = rep1;
        if (bit(isRepG1, state) === 1) {
          if (bit(isRepG2, state) === 0) chosen = rep2;
          else [chosen, rep3] = [rep3, rep2];
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = chosen;
      }
      if (long === 1) {
        state = state < 7 ? 9 : 11;
      } else {
        long = length(repeats, place);
        state = state < 7 ? 8 : 11;
      }
    }
    if (rep0 >= size) throw new Error("the packed engine is damaged");
    room(long);
    for (let n = 0; n < long; n += 1, size += 1) out[size] = out[size - rep0 - 1]!;
  }
}
