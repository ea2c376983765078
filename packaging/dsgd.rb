# Homebrew: brew install --build-from-source ./packaging/dsgd.rb
class Dsgd < Formula
  desc "Distributed SGD as a set of small programs"
  homepage "https://dsgd.example/"
  url "https://dsgd.example/dsgd-0.1.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["MIT", "BSD-3-Clause", "CC-BY-4.0"]

  depends_on "pkgconf" => :build
  depends_on "jansson"
  depends_on "libarchive"
  depends_on "libevent"
  depends_on "openblas"
  depends_on "openssl@3"
  uses_from_macos "zlib"

  def install
    system "./configure", "--disable-silent-rules",
           "--with-bash-completions=#{bash_completion}",
           "--with-fish-completions=#{fish_completion}",
           "--with-zsh-completions=#{zsh_completion}",
           *std_configure_args
    system "make", "install"
  end

  test do
    data = pkgshare/"data"
    columns = ["--no-header", "--label-column", "65"]
    system bin/"dsgd-shard", "-n", "2", "-o", "shard-%d", *columns, data/"digits-train.csv.gz"
    system bin/"dsgd-ps", "-P", "2", "-p", "k-async:1", "-m", "softmax", "-e", "0.01", "-J", "200", "-o", "model",
           "-x", "#{bin}/dsgd-worker shard-%r"
    scores = shell_output("#{bin}/dsgd-eval -m model #{columns.join(" ")} #{data}/digits-test.csv.gz")
    assert_match(/^iteration\ttime\tloss\terror$/, scores)
  end
end
