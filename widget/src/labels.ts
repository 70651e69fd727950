// Per language, between commas: its tag, the pattern of the label, the four that
// fill it (verify, sign in, sign up, continue), and what the status line says to do (while a
// window is open, and after one that brought nothing).
const catalogue = [
  "en,* with %,Verify,Sign in,Sign up,Continue,Continue in the window,Try again",
  "de,Mit % *,verifizieren,anmelden,registrieren,fortfahren,Im Fenster fortfahren,Erneut versuchen",
  "fr,* avec %,Vérifier,Se connecter,S’inscrire,Continuer,Continuer dans la fenêtre,Réessayer",
  "es,* con %,Verificar,Iniciar sesión,Registrarse,Continuar,Continuar en la ventana,Reintentar",
  "it,* con %,Verifica,Accedi,Registrati,Continua,Continua nella finestra,Riprova",
  "pt,* com %,Verificar,Entrar,Inscrever-se,Continuar,Continuar na janela,Tente de novo",
  "ar,* باستخدام %,التحقق,تسجيل الدخول,إنشاء حساب,المتابعة,المتابعة في النافذة,حاول مجددا",
  "zh,使用 % *,验证,登录,注册,继续,在窗口中继续,请重试",
];

/** What stands where in an entry of the catalogue. */
export const enum Text {
  Language,
  Pattern,
  Verify,
  SignIn,
  SignUp,
  Continue,
  Opened,
  NotCompleted,
}

/** The texts for a language tag; in English when there are none. */
export function texts(tag: string): string[] {
  const language = tag.slice(0, 2).toLowerCase();
  return (catalogue.find((entry) => entry.startsWith(language)) || catalogue[0]).split(",");
}
