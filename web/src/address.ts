/** The state of the page, in the fragment of its address: JSON, deflated, in the letters of base64url. */

/** A page of the gallery with its controls, or a scenario of the reader's own. */
export type Shown =
  | { page: string; values: Record<string, string>; seed: number }
  | { text: string; form: "toml" | "json"; seed: number };

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const blob = new Blob([bytes as BlobPart]);
  return new Uint8Array(await new Response(blob.stream().pipeThrough(stream)).arrayBuffer());
}

export async function encode(shown: Shown): Promise<string> {
  const plain = new TextEncoder().encode(JSON.stringify(shown));
  const small = await through(plain, new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of small) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state in an address; null where this page understands nothing of it. */
export async function decode(fragment: string): Promise<Shown | null> {
  const letters = fragment.replace(/^#/, "");
  if (!/^[\w-]{4,}$/.test(letters)) return null;
  try {
    const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const plain = await through(bytes, new DecompressionStream("deflate-raw"));
    const shown = JSON.parse(new TextDecoder().decode(plain)) as Shown;
    if (typeof shown !== "object" || shown === null) return null;
    if ("page" in shown ? typeof shown.page !== "string" : typeof shown.text !== "string") return null;
    return shown;
  } catch {
    return null;
  }
}
