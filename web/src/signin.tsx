import { type FormEvent, useState } from "react";
import { signIn } from "./api/calls";
import { useAction } from "./ui/action";
import { Button } from "./ui/button";
import { Field } from "./ui/field";
import { Notice } from "./ui/notice";

/** For a browser that the server does not know. */
export function SignIn() {
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const { busy, error, run } = useAction();
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    const done = await run(async () => {
      await signIn(login, password);
      await (await import("./data/database")).forget(); // it may be somebody else's
    });
    if (done) {
      location.reload();
    }
  };
  return (
    <main className="flex min-h-dvh items-center justify-center bg-panel p-4">
      <form
        onSubmit={submit}
        className="w-full max-w-sm space-y-4 rounded-2xl border border-line bg-raised p-6 shadow-sm"
      >
        <div className="flex items-center gap-3">
          <img src="/favicon.svg" alt="" className="size-9" />
          <h1 className="text-xl font-semibold">Sign in to Nestor</h1>
        </div>
        <Field label="Name or e-mail" value={login} onChange={setLogin} autoComplete="username" required />
        <Field
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
        />
        {error && <Notice text={error} />}
        <Button kind="primary" type="submit" disabled={busy} className="w-full py-2">
          {busy ? "Signing in…" : "Sign in"}
        </Button>
        <p className="text-sm text-soft">
          On your own machine, open the address that <code className="font-mono">nestor serve</code> printed:
          it holds a token that signs you in.
        </p>
      </form>
    </main>
  );
}
