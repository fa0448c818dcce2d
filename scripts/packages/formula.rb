# Runs a Homebrew formula without Homebrew: evaluates it for Linux, unpacks its archive after a look at the checksum,
# and runs `install` and `test` in an empty place. It knows the words of Homebrew's language that the formula uses;
# any other ends it.
#
#   ruby formula.rb FORMULA FOLDER-OF-ARCHIVES PREFIX

require "digest"
require "fileutils"
require "pathname"

# A place of the installation: a path that files can be copied into.
class Place < Pathname
  def install(*names)
    mkpath
    names.each { |name| FileUtils.cp_r(name, self) }
  end

  def /(name) = Place.new(File.join(self, name))
end

class Formula
  class << self
    attr_reader :archive, :digest, :check

    %i[desc homepage version license].each { |word| define_method(word) { |*| } }

    def on_linux = yield

    def on_macos; end

    { on_intel: /x86_64/, on_arm: /aarch64|arm64/ }.each do |word, machine|
      define_method(word) { |&block| block.call if RUBY_PLATFORM.match?(machine) }
    end

    def url(address) = @archive = File.basename(address)
    def sha256(digest) = @digest = digest
    def test(&block) = @check = block
  end

  attr_reader :testpath

  def initialize(prefix)
    @prefix = Place.new(prefix)
    @testpath = @prefix/"test"
    @testpath.mkpath
  end

  { bin: "bin", lib: "lib", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |word, path|
    define_method(word) { Place.new(@prefix/path) }
  end

  def system(*command)
    Kernel.system(*command.map(&:to_s), out: File::NULL) || abort("#{command.join(" ")}: failed")
  end
end

formula, archives, prefix = ARGV.map { |path| File.expand_path(path) }
load formula
archive = File.join(archives, Agon.archive)
abort "the checksum is not the one of #{archive}" if Digest::SHA256.file(archive).hexdigest != Agon.digest
made = Agon.new(prefix)
unpacked = File.join(prefix, "unpacked")
FileUtils.mkdir_p(unpacked)
Kernel.system("tar", "-xzf", archive, "-C", unpacked, "--strip-components=1", exception: true)
Dir.chdir(unpacked) { made.install }
Dir.chdir(made.testpath) { made.instance_eval(&Agon.check) }
